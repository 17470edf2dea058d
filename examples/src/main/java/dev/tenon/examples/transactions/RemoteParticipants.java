package dev.tenon.examples.transactions;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.grpc.CallSignatureInterceptor;
import dev.tenon.grpc.GrpcParticipants;
import dev.tenon.grpc.ParticipantService;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalParticipant;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.http.BarrierHandler;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.notify.WebhookSignature;
import io.grpc.Server;
import io.grpc.ServerInterceptors;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

/** One participant, behind HTTP and behind gRPC: whichever way a call comes, it is done once. */
public final class RemoteParticipants {
    private RemoteParticipants() {}

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:participants;DB_CLOSE_DELAY=-1");
        try (JdbcBackend tenon = JdbcBackend.over(database);
                Connection connection = database.getConnection()) {
            ShopDatabase.update(connection, "CREATE TABLE stock (goods VARCHAR(20) PRIMARY KEY, pieces INT)");
            ShopDatabase.update(connection, "INSERT INTO stock VALUES ('water', 10)");
            serve(database, tenon);
        }
    }

    private static void serve(DataSource database, JdbcBackend tenon) throws Exception {
        // tag::work[]
        LocalParticipant stock = LocalParticipant.of(
                LocalTransactions.of(database), tenon.barrier(), (connection, call) -> switch (call.operation()) {
                    case ACTION -> take(connection);
                    case COMPENSATE -> putBack(connection);
                    default -> Reply.refused("I only take and put back");
                });
        // end::work[]

        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        HttpServer server = HttpServer.create(address, 0);
        // tag::http[]
        BarrierHandler handler = BarrierHandler.of(stock);
        server.createContext("/stock", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            BarrierHandler.Answer answer = handler.handle(exchange.getRequestHeaders()::getFirst, body);
            byte[] text = answer.body().getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(answer.status(), text.length == 0 ? -1 : text.length);
            exchange.getResponseBody().write(text);
            exchange.close();
        });
        // end::http[]
        server.start();

        // tag::grpc[]
        NamedParticipants served = new NamedParticipants().register("stock", stock);
        Server grpc = NettyServerBuilder.forAddress(address)
                .addService(ParticipantService.of(served))
                .build()
                .start();
        // end::grpc[]

        // tag::call[]
        GrpcParticipants overGrpc = GrpcParticipants.create(Duration.ofSeconds(5));
        Participants participants =
                HttpParticipants.create(Duration.ofSeconds(5)).or(overGrpc);
        // end::call[]
        call(participants, "http://127.0.0.1:" + server.getAddress().getPort() + "/stock");
        call(participants, "grpc://127.0.0.1:" + grpc.getPort() + "/stock"); // the same call: not done again
        overGrpc.close();
        grpc.shutdownNow();
        server.stop(0);
        serveSigned(stock, served, address);
    }

    private static void serveSigned(LocalParticipant stock, NamedParticipants served, InetSocketAddress address)
            throws Exception {
        String secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"; // yours is in no program
        // tag::verify[]
        CallSignature signature =
                CallSignature.of(WebhookSignature.of(secret)); // or of(next, old), while it is replaced
        BarrierHandler handler = BarrierHandler.of(stock).verifying(signature);
        ServerServiceDefinition service =
                ServerInterceptors.intercept(ParticipantService.of(served), CallSignatureInterceptor.of(signature));
        // end::verify[]
        Server grpc = NettyServerBuilder.forAddress(address)
                .addService(service)
                .build()
                .start();
        String target = "grpc://127.0.0.1:" + grpc.getPort() + "/stock";
        // tag::sign[]
        WebhookSecrets secrets =
                name -> name.equals("stock") ? Optional.of(WebhookSignature.of(secret)) : Optional.empty();
        HttpTargets targets = HttpTargets.ANY.signedWith(Map.of(target, "stock"));
        GrpcParticipants overGrpc =
                GrpcParticipants.create(Duration.ofSeconds(5)).within(targets).signing(secrets);
        Participants signing = HttpParticipants.create(Duration.ofSeconds(5))
                .within(targets)
                .signing(secrets)
                .or(overGrpc);
        // end::sign[]
        call(signing, target);
        System.out.println("unsigned: " + handler.handle(name -> null, "").status());
        overGrpc.close();
        grpc.shutdownNow();
    }

    private static Reply take(Connection connection) throws SQLException {
        int taken = ShopDatabase.update(
                connection, "UPDATE stock SET pieces = pieces - 1 WHERE goods = 'water' AND pieces > 0");
        return taken == 1 ? Reply.done("taken") : Reply.refused("sold out");
    }

    private static Reply putBack(Connection connection) throws SQLException {
        ShopDatabase.update(connection, "UPDATE stock SET pieces = pieces + 1 WHERE goods = 'water'");
        return Reply.done();
    }

    private static void call(Participants participants, String target) throws Exception {
        BranchCall call =
                new BranchCall(new TransactionId("order-42"), "stock", Operation.ACTION, target, "", Map.of(), 1);
        System.out.println(
                target + ": " + participants.find(target).orElseThrow().call(call));
    }
}
