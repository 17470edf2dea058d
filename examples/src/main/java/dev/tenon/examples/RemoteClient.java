package dev.tenon.examples;

import dev.tenon.client.ClientIds;
import dev.tenon.client.LocalIds;
import dev.tenon.client.TenonClient;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.lock.Lease;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Locks and IDs from a Tenon server, which this example starts itself; {@code ./tenon server} is the usual way. */
public final class RemoteClient {
    private RemoteClient() {}

    /** Runs the example. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("tenon-example");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), data)) {
            use("127.0.0.1:" + node.port());
            order("127.0.0.1:" + node.port());
        }
    }

    private static void order(String servers) throws InterruptedException {
        TransactionState ended;
        // tag::transactions[]
        NamedParticipants steps = new NamedParticipants();
        try (TenonClient tenon = TenonClient.connect(servers);
                Transactions transactions = TransactionEngine.over(
                                tenon.transactions(), steps, TransactionOptions.DEFAULT.withService("shop"))
                        .start()) {
            Sagas sagas = Sagas.over(transactions, steps)
                    .register(Saga.named("order", 1)
                            .step("stock", call -> Reply.done("7 left"), call -> Reply.done())
                            .step("card", call -> Reply.refused("no money"))
                            .after("stock")
                            .build());
            TransactionId gid = transactions.newId();
            sagas.start("order", gid, "{\"order\":42}");
            ended = transactions.await(gid, Duration.ofSeconds(30)).state(); // ABORTED: stock is put back
        }
        // end::transactions[]
        System.out.println("The order is " + ended);
    }

    private static void use(String servers) throws InterruptedException {
        // tag::connect[]
        try (TenonClient tenon = TenonClient.connect(servers)) { // "n1:7700,n2:7700,n3:7700"
            try (Lease lease = tenon.locks().lock("stock:42").acquire(Duration.ofSeconds(5))) {
                save("42 is sold", lease.token());
            }
        }
        // end::connect[]

        try (TenonClient tenon = TenonClient.connect(servers)) {
            // tag::ids[]
            ClientIds orders = tenon.define("orders", "{\"kind\":\"template\",\"template\":\"ORD{seq:6}\"}");
            String one = orders.next(); // a round trip
            LocalIds local = orders.local(1000); // a round trip for a thousand
            String next = local.next(); // nanoseconds
            // end::ids[]
            System.out.println(one + ", then " + next);

            // tag::code[]
            tenon.define("receipts", "{\"kind\":\"segment\",\"code\":7}");
            long receipt = tenon.idBuilder().unionSeqId(7); // as GET /id-builder/increase-seq-id?code=7
            // end::code[]
            System.out.println("Receipt " + receipt);

            // tag::segment[]
            try (SegmentGenerator numbers = SegmentGenerator.create(tenon.ranges(), "invoices")) {
                long number = numbers.nextId();
                System.out.println("Invoice " + number);
            }
            // end::segment[]
        }
    }

    private static void save(String what, long token) {
        System.out.println(what + " (token is there: " + (token > 0) + ")");
    }
}
