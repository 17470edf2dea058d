package dev.tenon.jdbc;

import dev.tenon.jdbc.CountedDatabase.Count;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.message.ReliableMessages;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import dev.tenon.tx.xa.XaDatabases;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** Every mode over two databases that count; the log is in the first. What the business does by itself is taken off. */
final class CountedModes implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration NEVER = Duration.ofHours(1);

    final CountedDatabase first;
    final CountedDatabase second;
    final Transactions transactions;
    final Sagas sagas;
    final Tcc tcc;
    final Notifications notifications;
    final ReliableMessages messages;
    final Outbox writer;
    final Outbox relay;
    final Outbox sending;
    final Xa xa;
    final AtTransactions at;
    private final XaDatabases databases;
    private final AtomicInteger ownStatements = new AtomicInteger();
    private final AtomicInteger ownCommits = new AtomicInteger();

    CountedModes(CountedDatabase first, CountedDatabase second) throws SQLException {
        this.first = first;
        this.second = second;
        this.databases = XaDatabases.of(Map.of(
                "one", XaDatabase.of(first.xa(), first.backend.barrierStore()),
                "two", XaDatabase.of(second.xa(), second.backend.barrierStore())));
        Map<String, AtResource> resources =
                Map.of("one", first.backend.autoUndo(first.business), "two", second.backend.autoUndo(second.business));
        NamedParticipants named = new NamedParticipants();
        MessageSink sink = message -> Reply.done();
        Participants message = ReliableMessages.participants(first.business, first.backend.barrier(), sink);
        Participants undo = AtTransactions.participants(resources);
        Participants all = target -> named.find(target)
                .or(() -> databases.find(target))
                .or(() -> message.find(target))
                .or(() -> undo.find(target))
                .or(() -> target.startsWith("notify:") ? Optional.of(call -> Reply.done()) : Optional.empty());
        this.transactions = TransactionEngine.over(
                first.backend.transactions(), all, TransactionOptions.DEFAULT.withService("cost"));
        this.sagas = Sagas.over(transactions, named)
                .register(Saga.named("three", 1)
                        .step("a", this::work, this::work)
                        .step("b", this::work, this::work)
                        .after("a")
                        .step("c", this::work)
                        .after("b")
                        .build());
        Participant work = this::work;
        this.tcc = Tcc.over(transactions, named).register("work", 1, TccParticipant.of(work, work, work));
        this.notifications = Notifications.over(transactions);
        this.messages = ReliableMessages.over(transactions, first.backend.barrier());
        OutboxOptions options = OutboxOptions.DEFAULT.withPollEvery(NEVER);
        this.writer = Outbox.over(first.backend.outbox(), sink, options.withName("writer"));
        this.relay = Outbox.over(first.backend.outbox(), sink, options.withName("relay"));
        this.sending = Outbox.over(first.backend.outbox(), sink, options.withName("sending"))
                .start();
        this.xa = Xa.over(transactions, databases);
        this.at = AtTransactions.over(transactions, resources);
    }

    /** What is counted. */
    interface Run {
        void on(CountedModes bench) throws Exception;
    }

    /** What a run adds to what the business does. */
    Count count(Run run) throws Exception {
        ownStatements.set(0);
        ownCommits.set(0);
        Count before = first.count().plus(second.count());
        run.on(this);
        Count own = new Count(ownStatements.get(), ownCommits.get(), ownStatements.get() + ownCommits.get());
        return first.count().plus(second.count()).minus(before).minus(own);
    }

    /** The business is to run a statement. */
    void own() {
        ownStatements.incrementAndGet();
    }

    /** A statement of the business. */
    void change(Connection connection) throws SQLException {
        own();
        CountedDatabase.change(connection);
    }

    /** A commit of the business, by whoever makes it. */
    void commits(int count) {
        ownCommits.addAndGet(count);
    }

    /** What is done in a local transaction of the business. */
    interface Work {
        void in(Connection connection) throws Exception;
    }

    void locally(Work work) throws Exception {
        try (Connection connection = first.business.getConnection()) {
            change(connection);
            work.in(connection);
            connection.commit();
            commits(1);
        }
    }

    /** A participant: one statement behind the barrier, in a local transaction. */
    private Reply work(BranchCall call) throws Exception {
        return LocalTransactions.of(first.business)
                .run(connection -> first.backend.barrier().call(connection, call, open -> {
                    change(open);
                    commits(1);
                    return Reply.done();
                }));
    }

    void awaitEnd(TransactionId gid) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> first.direct
                        .transactions()
                        .find(gid)
                        .filter(tx -> tx.state().isFinal())
                        .isPresent());
    }

    /** Until recovery would look at it. */
    void awaitDue(TransactionRecord tx) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> first.direct.transactions().now().isAfter(tx.deadline()));
    }

    /** Until {@link #sending} has sent and forgotten all. */
    void awaitAllSent() {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> first.isEmpty("tenon_outbox WHERE outbox = 'sending'"));
    }

    @Override
    public void close() {
        List.<AutoCloseable>of(xa, sending, relay, writer, tcc, transactions, databases, first, second)
                .forEach(each -> {
                    try {
                        each.close();
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                });
    }
}
