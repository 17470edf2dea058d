package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.testkit.crash.LeftOpen;
import dev.tenon.tx.Message;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.ReliableMessages;
import java.util.ArrayList;
import java.util.List;

/** The log is not where the payer is: messages are prepared, confirmed by the local transaction, and submitted. */
final class ReliableBank extends BankScenario {
    ReliableBank(String world, List<BankDatabase> databases) {
        super("reliable", world, databases);
    }

    private record Process(BankNode node, Transactions transactions, ReliableMessages messages) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        MessageSink sink = message -> {
            int database = Integer.parseInt(message.target());
            return Inbox.over(node.shared(database).barrier(), "bank")
                    .handler(node.sources.get(database), (connection, it) -> {
                        node.move(connection, database, BankNode.AMOUNT);
                        return Reply.done();
                    })
                    .send(message);
        };
        Participants participants = ReliableMessages.participants(
                node.sources.get(0), node.shared(0).barrier(), sink);
        Transactions transactions = process.closing(
                TransactionEngine.over(node.backend(1).transactions(), process.over(participants), options()));
        return new Process(
                node,
                transactions,
                ReliableMessages.over(transactions, node.shared(0).barrier()));
    }

    @Override
    LeftOpen left() {
        return LeftOpen.in(databases.get(1).backend.transactions(), world);
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        List<TransactionId> prepared = new ArrayList<>();
        for (int i = 1; i < databases.size(); i++) {
            Message message = Message.of(String.valueOf(i), "paid/1", "").withId(world + "-" + i);
            prepared.add(it.messages().prepare(message, SHORT));
        }
        it.node().locally(0, c -> {
            it.node().move(c, 0, it.node().change(0));
            for (TransactionId gid : prepared) {
                it.messages().confirm(c, gid);
            }
        });
        tell(TransactionState.COMMITTED);
        for (TransactionId gid : prepared) {
            it.messages().submit(gid);
            it.transactions().await(gid, PATIENCE);
        }
    }

    @Override
    public Pass recovery(CrashProcess process) {
        return pass(start(process).transactions());
    }
}
