package dev.tenon.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.RabbitMqServer;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.JoinedScope;
import dev.tenon.tx.global.OutgoingCall;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A global transaction in the headers of a request and of its response, over a broker. */
class RabbitMqTransactionHeadersTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String DECISIONS = "http://stock:8080" + GlobalTransactions.PATH;

    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final JdbcBackend stockRows = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID());
    private final JdbcBackend shopRows = JdbcBackend.connect("jdbc:h2:mem:" + UUID.randomUUID());
    private final NamedParticipants local = new NamedParticipants();
    private final Transactions stockLog = log(stockRows, "stock", local);
    private final GlobalTransactions stock = GlobalTransactions.over(
            stockLog,
            new GlobalScope(),
            Tcc.over(stockLog, local).register("reserve", 1, TccParticipant.of(this::say, this::say, this::say)),
            Map.of(),
            Map.of());
    private final NamedParticipants none = new NamedParticipants();
    private final Transactions shopLog = log(
            shopRows,
            "shop",
            none.or(target -> target.equals(DECISIONS) ? Optional.of(stock.participant()) : Optional.empty()));
    private final GlobalTransactions shop = GlobalTransactions.over(
            shopLog, new GlobalScope(), Tcc.over(shopLog, none), Map.of(), Map.of("stock", "http://stock:8080"));

    private static RabbitMqServer server;

    @BeforeAll
    static void startServer() {
        server = RabbitMqServer.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static Transactions log(JdbcBackend backend, String service, Participants participants) {
        return TransactionEngine.over(
                        backend.transactions(), participants, TransactionOptions.DEFAULT.withService(service))
                .start();
    }

    private Reply say(BranchCall call) {
        calls.add(call.operation().text());
        return Reply.done();
    }

    @AfterEach
    void close() {
        shopLog.close();
        stockLog.close();
        shopRows.close();
        stockRows.close();
    }

    @Test
    void whoAnswersIsCommittedWithWhoAsks() throws Exception {
        shop.call(GlobalOptions.DEFAULT, () -> ask(false));
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "confirm")));
    }

    @Test
    void anAnswerThatHasFailedRollsTheWholeBack() {
        assertThatThrownBy(() -> shop.call(GlobalOptions.DEFAULT, () -> ask(true)))
                .isInstanceOf(TransactionAbortedException.class);
        Awaitility.await().atMost(PATIENCE).until(() -> calls.equals(List.of("try", "cancel")));
    }

    @Test
    void aMessageOutsideOfATransactionTakesPartInNone() {
        assertThat(RabbitMqTransactionHeaders.join(stock, Map.of())).isEmpty();
    }

    /** Over the broker, as a call with a reply queue. */
    private boolean ask(boolean fails) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        try (Connection connection = factory.newConnection();
                Channel asking = connection.createChannel();
                Channel answering = connection.createChannel();
                OutgoingCall call = shop.scope().writing().orElseThrow().outgoing("stock")) {
            String requests = answering.queueDeclare().getQueue();
            String responses = asking.queueDeclare().getQueue();
            answering.basicConsume(requests, true, (tag, request) -> answer(answering, request, fails), tag -> {});
            BlockingQueue<Map<String, Object>> got = new LinkedBlockingQueue<>();
            asking.basicConsume(
                    responses,
                    true,
                    (tag, response) -> got.add(response.getProperties().getHeaders()),
                    tag -> {});
            Map<String, Object> headers = new HashMap<>(Map.of("kind", "request"));
            RabbitMqTransactionHeaders.send(call, headers);
            asking.basicPublish("", requests, properties(headers, responses), new byte[0]);
            RabbitMqTransactionHeaders.answered(
                    call, Objects.requireNonNull(got.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS), "no answer"));
            return true;
        }
    }

    private void answer(Channel channel, Delivery request, boolean fails) throws IOException {
        Map<String, Object> headers = new HashMap<>(Map.of("kind", "response"));
        try (JoinedScope scope = RabbitMqTransactionHeaders.join(
                        stock, request.getProperties().getHeaders())
                .orElseThrow()) {
            scope.transaction().tryIt(TccBranch.of("reserve", "3"));
            if (fails) {
                scope.failed("a mistake");
            }
            RabbitMqTransactionHeaders.answer(scope, headers);
        }
        channel.basicPublish("", request.getProperties().getReplyTo(), properties(headers, ""), new byte[0]);
    }

    private static AMQP.BasicProperties properties(Map<String, Object> headers, String replyTo) {
        return new AMQP.BasicProperties.Builder()
                .headers(headers)
                .replyTo(replyTo)
                .build();
    }
}
