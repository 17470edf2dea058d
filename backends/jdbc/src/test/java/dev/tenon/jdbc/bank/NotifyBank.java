package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.notify.Notifications;
import java.net.URI;
import java.util.List;
import java.util.Optional;

/** Who pays notifies each who is paid; those know a notification again by its ID. */
final class NotifyBank extends BankScenario {
    NotifyBank(String world, List<BankDatabase> databases) {
        super("notify", world, databases);
    }

    private record Process(BankNode node, Transactions transactions, Notifications notifications) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        Participants receivers = target -> {
            int database = target.charAt(target.length() - 1) - '0';
            return Optional.of(node.changing(database, c -> node.move(c, database, BankNode.AMOUNT)));
        };
        Transactions transactions = process.closing(
                TransactionEngine.over(node.backend(0).transactions(), process.over(receivers), options()));
        return new Process(node, transactions, Notifications.over(transactions));
    }

    private TransactionId gid(int database) {
        return new TransactionId(world + "-" + database);
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        it.node().locally(0, c -> {
            it.node().move(c, 0, it.node().change(0));
            for (int i = 1; i < databases.size(); i++) {
                it.notifications().send(c, gid(i), URI.create("http://bank/" + i), "{}");
            }
        });
        tell(TransactionState.COMMITTED);
        for (int i = 1; i < databases.size(); i++) {
            it.transactions().hurry(gid(i));
            it.transactions().await(gid(i), PATIENCE);
        }
    }

    @Override
    public Pass recovery(CrashProcess process) {
        return pass(start(process).transactions());
    }
}
