package dev.tenon.examples.transactions;

import static dev.tenon.examples.transactions.ShopDatabase.number;
import static dev.tenon.examples.transactions.ShopDatabase.update;

import dev.tenon.jdbc.JdbcFence;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * Sagas are not isolated by themselves: others see what a step did before the saga ends. Here a lock on the account
 * lets one saga at a time work on it, and its token, which travels in the context, keeps out one whose lock was lost in
 * a long pause.
 */
public final class IsolatedTransfer implements AutoCloseable {
    private static final String ACCOUNT = "account:1";

    private final ShopDatabase bank;
    private final JdbcFence fence;
    private final Transactions transactions;
    private final Sagas sagas;
    private final CountDownLatch debited = new CountDownLatch(1);
    private final CountDownLatch overtaken = new CountDownLatch(1);

    private IsolatedTransfer(ShopDatabase bank) {
        this.bank = bank;
        this.fence = bank.tenon().fence();
        NamedParticipants participants = new NamedParticipants();
        this.transactions = TransactionEngine.over(
                bank.tenon().transactions(), participants, TransactionOptions.DEFAULT.withService("bank"));
        // tag::saga[]
        this.sagas = Sagas.over(transactions, participants)
                .register(Saga.named("transfer", 1)
                        .step(
                                "debit",
                                call -> fenced(call, "UPDATE account SET yuan = yuan - 10 WHERE id = 1"),
                                call -> bank.once(
                                        call, c -> done(c, "UPDATE account SET yuan = yuan + 10 WHERE id = 1")))
                        .step("credit", call -> {
                            pauseOfTheFirst(call);
                            return fenced(call, "UPDATE account SET yuan = yuan + 10 WHERE id = 2");
                        })
                        .build());
        // end::saga[]
    }

    // tag::fenced[]
    /** A step with the token of its saga's lock: refused if a later holder has been at the account. */
    private Reply fenced(BranchCall call, String sql) throws Exception {
        return bank.once(call, connection -> {
            try {
                fence.check(connection, ACCOUNT, Long.parseLong(call.payload()));
            } catch (StaleTokenException e) {
                return Reply.refused("a later saga has the account"); // rolled back; the saga turns back
            }
            return done(connection, sql);
        });
    }
    // end::fenced[]

    private static Reply done(Connection connection, String sql) throws SQLException {
        update(connection, sql);
        return Reply.done();
    }

    private void pauseOfTheFirst(BranchCall call) throws InterruptedException {
        if (call.gid().text().equals("transfer-1")) {
            debited.countDown();
            overtaken.await();
        }
    }

    private TransactionState ended(TransactionId gid) throws InterruptedException {
        return transactions.await(gid, Duration.ofSeconds(30)).state();
    }

    private void run() throws InterruptedException, SQLException {
        TransactionId first = new TransactionId("transfer-1");
        TransactionId second = new TransactionId("transfer-2");
        LockOptions brief =
                LockOptions.DEFAULT.withLease(Duration.ofMillis(300)).withoutRenewal();
        Lease paused = bank.tenon().locks().lock(ACCOUNT, brief).acquire(Duration.ofSeconds(5));
        sagas.start("transfer", first, Long.toString(paused.token()));
        debited.await(); // now a long pause: its lease ends

        // tag::lock[]
        try (Lease lease = bank.tenon().locks().lock(ACCOUNT).acquire(Duration.ofSeconds(30))) {
            sagas.start("transfer", second, Long.toString(lease.token()));
            System.out.println("The second saga: " + ended(second));
        }
        // end::lock[]
        overtaken.countDown();
        System.out.println("The first saga: " + ended(first));
        paused.close(); // nothing: it was lost
        try (Connection connection = bank.begin()) {
            System.out.println(number(connection, "SELECT yuan FROM account WHERE id = 1") + " and "
                    + number(connection, "SELECT yuan FROM account WHERE id = 2") + " yuan");
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        try (ShopDatabase bank = ShopDatabase.inMemory("bank")) {
            try (Connection connection = bank.begin()) {
                update(connection, "CREATE TABLE account (id INT PRIMARY KEY, yuan INT NOT NULL)");
                update(connection, "INSERT INTO account VALUES (1, 100), (2, 100)");
                connection.commit();
            }
            try (IsolatedTransfer example = new IsolatedTransfer(bank)) {
                example.run();
            }
        }
    }

    @Override
    public void close() {
        transactions.close();
    }
}
