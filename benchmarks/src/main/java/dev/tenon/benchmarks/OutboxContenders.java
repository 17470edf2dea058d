package dev.tenon.benchmarks;

import com.gruelbox.transactionoutbox.Dialect;
import com.gruelbox.transactionoutbox.Instantiator;
import com.gruelbox.transactionoutbox.Persistor;
import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.ThreadLocalContextTransactionManager;
import com.gruelbox.transactionoutbox.TransactionManager;
import com.gruelbox.transactionoutbox.TransactionOutbox;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A business commit with a message in it, by several libraries, on PostgreSQL. */
final class OutboxContenders {
    static final String ALONE = "the business commit alone";
    static final String GRUELBOX = "gruelbox transaction-outbox";
    static final String BACKLOG = "Tenon, what was committed before";
    static final String ENQUEUE = "Tenon, for those who commit by themselves";

    private static final long PATIENCE_SECONDS = 60;

    private OutboxContenders() {}

    static Contender alone(Accounts bank) {
        return TransactionContender.timed(
                ALONE,
                account -> {
                    try (Connection connection = bank.begin()) {
                        Accounts.move(connection, account);
                        connection.commit();
                    }
                },
                () -> {});
    }

    /** Only writes, the message and the commit in one; another process would send. */
    static Contender tenon(Accounts bank) {
        Outbox outbox = writer(bank);
        return TransactionContender.timed(
                TenonLock.TITLE, account -> commit(bank, outbox, account, message("")), outbox::close);
    }

    /** Only writes, the message before the commit. */
    static Contender tenonEnqueue(Accounts bank) {
        Outbox outbox = writer(bank);
        return TransactionContender.timed(ENQUEUE, account -> write(bank, outbox, account, message("")), outbox::close);
    }

    private static Outbox writer(Accounts bank) {
        OutboxOptions options = OutboxOptions.DEFAULT.withName("written");
        return Outbox.over(bank.tenon().outbox(), message -> Reply.done(), options);
    }

    /** Only writes. */
    static Contender gruelbox(Accounts bank) {
        Gruelbox library = new Gruelbox(bank, (entry, worker) -> {});
        return TransactionContender.timed(GRUELBOX, account -> library.write(account, ""), () -> {});
    }

    /** The time from the commit to the handler's call. */
    static Contender tenonToHandler(Accounts bank) {
        Arrivals arrivals = new Arrivals();
        Outbox outbox = sender(bank, "at once", arrivals);
        return new TransactionContender(
                TenonLock.TITLE,
                account -> {
                    Expected next = arrivals.expect();
                    long committed = commit(bank, outbox, account, message(next.id()));
                    return next.await() - committed;
                },
                outbox::close);
    }

    /** The same, where the message is found in the table. */
    static Contender tenonEnqueueToHandler(Accounts bank) {
        Arrivals arrivals = new Arrivals();
        Outbox outbox = sender(bank, "found", arrivals);
        return new TransactionContender(
                ENQUEUE,
                account -> {
                    Expected next = arrivals.expect();
                    write(bank, outbox, account, message(next.id()));
                    long committed = System.nanoTime();
                    outbox.dispatch();
                    return next.await() - committed;
                },
                outbox::close);
    }

    private static Outbox sender(Accounts bank, String name, Arrivals arrivals) {
        return Outbox.over(
                        bank.tenon().outbox(),
                        message -> {
                            arrivals.arrived(message.text());
                            return Reply.done();
                        },
                        OutboxOptions.DEFAULT.withName(name))
                .start();
    }

    /**
     * The same. It dispatches by itself before the call returns, so a hook of its transaction tells when the commit
     * was.
     */
    static Contender gruelboxToHandler(Accounts bank) {
        Arrivals arrivals = new Arrivals();
        Gruelbox library = new Gruelbox(bank, Submitter.withDefaultExecutor(), arrivals);
        return new TransactionContender(
                GRUELBOX,
                account -> {
                    Expected next = arrivals.expect();
                    long committed = library.write(account, next.id());
                    return next.await() - committed;
                },
                () -> {});
    }

    private static void write(Accounts bank, Outbox outbox, int account, Message message) throws SQLException {
        try (Connection connection = bank.begin()) {
            Accounts.move(connection, account);
            outbox.enqueue(connection, message);
            connection.commit();
        }
    }

    /** Answers when it was committed: the outbox tells the connection, when the database has said so. */
    private static long commit(Accounts bank, Outbox outbox, int account, Message message) throws SQLException {
        AtomicLong committed = new AtomicLong();
        try (Connection connection = bank.begin()) {
            Accounts.move(connection, account);
            Connection told = (Connection) Proxy.newProxyInstance(
                    OutboxContenders.class.getClassLoader(),
                    new Class<?>[] {Connection.class},
                    (self, method, args) -> {
                        if (method.getName().equals("commit")) {
                            committed.set(System.nanoTime());
                        }
                        return method.invoke(connection, args);
                    });
            outbox.commit(told, message);
        }
        return committed.get();
    }

    private static Message message(String body) {
        return Message.of("points", "moved", body);
    }

    /** When which message came. */
    private static final class Arrivals {
        private final Map<String, Expected> expected = new ConcurrentHashMap<>();

        Expected expect() {
            Expected next = new Expected(UUID.randomUUID().toString(), new CompletableFuture<>());
            expected.put(next.id(), next);
            return next;
        }

        void arrived(String id) {
            Expected known = expected.remove(id);
            if (known != null) {
                known.arrival().complete(System.nanoTime());
            }
        }
    }

    /** A message that is to come. */
    private record Expected(String id, CompletableFuture<Long> arrival) {
        long await() throws Exception {
            return arrival.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** Called by the library, which makes a subclass of it. */
    static class Handler {
        private final Arrivals arrivals;

        Handler() {
            this(new Arrivals());
        }

        Handler(Arrivals arrivals) {
            this.arrivals = arrivals;
        }

        void handle(String id) {
            arrivals.arrived(id);
        }
    }

    private static final class Gruelbox {
        private final ThreadLocalContextTransactionManager transactions;
        private final TransactionOutbox outbox;

        Gruelbox(Accounts bank, Submitter submitter) {
            this(bank, submitter, new Arrivals());
        }

        Gruelbox(Accounts bank, Submitter submitter, Arrivals arrivals) {
            Handler handler = new Handler(arrivals);
            transactions = TransactionManager.fromDataSource(bank.pool());
            outbox = TransactionOutbox.builder()
                    .transactionManager(transactions)
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .instantiator(Instantiator.using(type -> handler))
                    .submitter(submitter)
                    .build();
        }

        /** When it was committed. */
        long write(int account, String id) throws SQLException {
            AtomicLong committed = new AtomicLong();
            transactions.inTransactionThrows(transaction -> {
                transaction.addPostCommitHook(() -> committed.set(System.nanoTime()));
                Accounts.move(transaction.connection(), account);
                outbox.schedule(Handler.class).handle(id);
            });
            return committed.get();
        }
    }
}
