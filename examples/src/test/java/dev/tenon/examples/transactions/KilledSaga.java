package dev.tenon.examples.transactions;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Three steps that count, each once; as a program, it is gone in the middle of the second. */
final class KilledSaga implements AutoCloseable {
    static final TransactionId GID = new TransactionId("count-1");

    /** When the process ends. */
    enum End {
        NEVER,
        BEFORE_COMMIT,
        AFTER_COMMIT
    }

    final Transactions transactions;
    private final Sagas sagas;

    KilledSaga(ShopDatabase shop, End end) {
        NamedParticipants participants = new NamedParticipants();
        transactions = TransactionEngine.over(
                shop.tenon().transactions(),
                participants,
                TransactionOptions.DEFAULT
                        .withService("count")
                        .withClaim(Duration.ofSeconds(3))
                        .withPollEvery(Duration.ofMillis(100)));
        sagas = Sagas.over(transactions, participants)
                .register(Saga.named("count", 1)
                        .step("one", call -> shop.once(call, c -> count(c, call)))
                        .step("two", call -> {
                            Reply reply = shop.once(call, c -> {
                                count(c, call);
                                haltIf(end == End.BEFORE_COMMIT);
                                return Reply.done();
                            });
                            haltIf(end == End.AFTER_COMMIT);
                            return reply;
                        })
                        .step("three", call -> shop.once(call, c -> count(c, call)))
                        .build());
    }

    private static Reply count(Connection connection, BranchCall call) throws SQLException {
        ShopDatabase.update(connection, "UPDATE counter SET n = n + 1 WHERE id = ?", call.branch());
        return Reply.done();
    }

    private static void haltIf(boolean now) {
        if (now) {
            Runtime.getRuntime().halt(9);
        }
    }

    static void createTables(ShopDatabase shop) throws SQLException {
        try (Connection connection = shop.begin()) {
            ShopDatabase.update(connection, "CREATE TABLE counter (id VARCHAR(20) PRIMARY KEY, n INT NOT NULL)");
            ShopDatabase.update(connection, "INSERT INTO counter VALUES ('one', 0), ('two', 0), ('three', 0)");
            connection.commit();
        }
    }

    void start() {
        sagas.start("count", GID, "{}");
    }

    /** Starts the saga on a database, to end as it is told. */
    public static void main(String[] args) throws InterruptedException {
        ShopDatabase shop = new ShopDatabase(args[0], args[1], args[2]);
        KilledSaga saga = new KilledSaga(shop, End.valueOf(args[3]));
        saga.start();
        saga.transactions.await(GID, Duration.ofMinutes(1));
    }

    @Override
    public void close() {
        transactions.close();
    }
}
