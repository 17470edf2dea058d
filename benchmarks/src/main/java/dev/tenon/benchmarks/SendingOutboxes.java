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
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.function.Consumer;

/** Tenon's outbox and gruelbox's, as {@link SendingRates} has them work. */
final class SendingOutboxes {
    private SendingOutboxes() {}

    static SendingOutbox tenon(Accounts bank) {
        return new Tenon(bank, TenonLock.TITLE, true);
    }

    /** What the writers can do: a message has arrived when it is committed. */
    static SendingOutbox written(Accounts bank) {
        return new Tenon(bank, "written by Tenon, and not sent", false);
    }

    /** What the sender can do: everything is committed before it begins. */
    static SendingOutbox backlog(Accounts bank) {
        return new Backlog(bank);
    }

    static SendingOutbox gruelbox(Accounts bank) {
        return new Gruelbox(bank);
    }

    private static final class Tenon implements SendingOutbox {
        private final Accounts bank;
        private volatile Consumer<String> handler = text -> {};
        private final String title;
        private final boolean sends;
        private final Outbox outbox;

        Tenon(Accounts bank, String title, boolean sends) {
            this.bank = bank;
            this.title = title;
            this.sends = sends;
            this.outbox = Outbox.over(
                    bank.tenon().outbox(),
                    message -> {
                        handler.accept(message.text());
                        return Reply.done();
                    },
                    OutboxOptions.DEFAULT.withName(sends ? "sending" : "not sent"));
        }

        @Override
        public String title() {
            return title;
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public void start(Consumer<String> to) {
            handler = to;
            if (sends) {
                outbox.start();
            }
        }

        @Override
        public void write(int account, String key, String text) throws SQLException {
            Message message = Message.of("points", "moved", text);
            try (Connection connection = bank.begin()) {
                Accounts.move(connection, account);
                outbox.commit(
                        connection,
                        Optional.of(key)
                                .filter(it -> !it.isEmpty())
                                .map(message::withKey)
                                .orElse(message));
            }
            if (!sends) {
                handler.accept(text);
            }
        }

        @Override
        public void close() {
            outbox.close();
        }
    }

    private static final class Backlog implements SendingOutbox {
        private static final String NAME = "backlog";

        private final Accounts bank;
        private final Outbox writer;
        private volatile Consumer<String> handler = text -> {};

        Backlog(Accounts bank) {
            this.bank = bank;
            this.writer = over(message -> Reply.notYet("nobody sends"));
        }

        private Outbox over(MessageSink sink) {
            return Outbox.over(bank.tenon().outbox(), sink, OutboxOptions.DEFAULT.withName(NAME));
        }

        @Override
        public String title() {
            return OutboxContenders.BACKLOG;
        }

        @Override
        public boolean ordered() {
            return true;
        }

        @Override
        public void start(Consumer<String> to) {
            handler = to;
        }

        @Override
        public void write(int account, String key, String text) throws SQLException {
            Message message = Message.of("points", "moved", text);
            try (Connection connection = bank.begin()) {
                Accounts.move(connection, account);
                writer.commit(connection, key.isEmpty() ? message : message.withKey(key));
            }
        }

        @Override
        public Optional<Runnable> send() {
            Outbox sender = over(message -> {
                handler.accept(message.text());
                return Reply.done();
            });
            sender.start();
            sender.dispatch(); // and not at its first look, a second later
            return Optional.of(sender::close);
        }

        @Override
        public void close() {
            writer.close();
        }
    }

    /** Keeps no order: its version on Maven Central has no topics. It dispatches by itself after the commit. */
    private static final class Gruelbox implements SendingOutbox {
        private volatile Consumer<String> handler = text -> {};
        private final ThreadLocalContextTransactionManager transactions;
        private final TransactionOutbox outbox;

        Gruelbox(Accounts bank) {
            Called called = new Called(text -> handler.accept(text));
            transactions = TransactionManager.fromDataSource(bank.pool());
            outbox = TransactionOutbox.builder()
                    .transactionManager(transactions)
                    .persistor(Persistor.forDialect(Dialect.POSTGRESQL_9))
                    .instantiator(Instantiator.using(type -> called))
                    .submitter(Submitter.withDefaultExecutor())
                    .build();
        }

        @Override
        public String title() {
            return OutboxContenders.GRUELBOX;
        }

        @Override
        public boolean ordered() {
            return false;
        }

        @Override
        public void start(Consumer<String> to) {
            handler = to;
        }

        @Override
        public void write(int account, String key, String text) throws SQLException {
            transactions.inTransactionThrows(transaction -> {
                Accounts.move(transaction.connection(), account);
                outbox.schedule(Called.class).handle(text);
            });
        }

        @Override
        public void close() {}
    }

    /** Called by the library, which makes a subclass of it. */
    static class Called {
        private final Consumer<String> handler;

        Called() {
            this(text -> {});
        }

        Called(Consumer<String> handler) {
            this.handler = handler;
        }

        void handle(String text) {
            handler.accept(text);
        }
    }
}
