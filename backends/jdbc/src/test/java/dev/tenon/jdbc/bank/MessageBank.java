package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/**
 * Who pays writes a message to each who is paid, in the same local transaction; those take it once. In another story
 * the last message commits the transaction, and is sent without having been looked for.
 */
final class MessageBank extends BankScenario {
    private final boolean atOnce;

    MessageBank(String world, List<BankDatabase> databases, boolean atOnce) {
        super(atOnce ? "atonce" : "message", world, databases);
        this.atOnce = atOnce;
    }

    private record Process(BankNode node, Outbox outbox) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        MessageHandlers handlers = MessageHandlers.none();
        for (int i = 1; i < databases.size(); i++) {
            int database = i;
            handlers = handlers.with(
                    "bank-" + i,
                    Inbox.over(node.shared(i).barrier(), "bank-" + i)
                            .handler(node.sources.get(i), (connection, message) -> {
                                node.move(connection, database, BankNode.AMOUNT);
                                return Reply.done();
                            }));
        }
        MessageSink sink = process.over(MessageSink.class, "sink", handlers);
        OutboxOptions options = OutboxOptions.DEFAULT.withName(world).withTime(clock());
        return new Process(node, process.closing(Outbox.over(node.backend(0).outbox(), sink, options)));
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        int last = databases.size() - 1;
        if (atOnce) {
            it.outbox().start();
        }
        it.node().locally(0, c -> {
            it.node().move(c, 0, it.node().change(0));
            for (int i = 1; i < last; i++) {
                it.outbox().enqueue(c, message(i));
            }
            if (atOnce) {
                it.outbox().commit(c, message(last));
            } else {
                it.outbox().enqueue(c, message(last));
            }
        });
        tell(TransactionState.COMMITTED);
        if (atOnce) {
            awaitAllSent(it.node());
        } else {
            it.outbox().runOnce();
        }
    }

    /** Until the process has sent all, or has crashed: its connections say so. */
    private void awaitAllSent(BankNode node) {
        Awaitility.await()
                .atMost(PATIENCE)
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(2))
                .until(() -> {
                    try (Connection connection = node.sources.get(0).getConnection();
                            PreparedStatement open =
                                    connection.prepareStatement("SELECT 1 FROM tenon_outbox WHERE outbox = ?")) {
                        open.setString(1, world);
                        try (ResultSet row = open.executeQuery()) {
                            return !row.next();
                        }
                    }
                });
    }

    private Message message(int database) {
        return Message.of("bank-" + database, "paid/1", "").withId(world + "-" + database);
    }

    @Override
    public Pass recovery(CrashProcess process) {
        Outbox outbox = start(process).outbox();
        BankDatabase first = databases.get(0);
        return () -> {
            try (Connection connection = first.source.getConnection()) {
                BankDatabase.update(
                        connection,
                        "UPDATE tenon_outbox SET due_at = due_at - ? WHERE outbox = ?",
                        LATER.toNanos() / 1000,
                        world);
            }
            outbox.runOnce();
            return first.number("SELECT COUNT(*) FROM tenon_outbox WHERE outbox = ?", world) == 0;
        };
    }
}
