package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.util.List;

/** Pay, and then be paid, each with its compensation; in another story the last account is closed. */
final class SagaBank extends BankScenario {
    private final boolean refused;

    SagaBank(String world, List<BankDatabase> databases, boolean refused) {
        super(refused ? "refused" : "saga", world, databases);
        this.refused = refused;
    }

    private record Process(BankNode node, Transactions transactions, Sagas sagas) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        NamedParticipants participants = new NamedParticipants();
        Transactions transactions = process.closing(
                TransactionEngine.over(node.backend(0).transactions(), process.over(participants), options()));
        Saga.Builder transfer = Saga.named("transfer", 1);
        for (int i = 0; i < databases.size(); i++) {
            int database = i;
            boolean closed = refused && i == databases.size() - 1;
            Participant action = node.changing(i, c -> !closed && node.move(c, database, node.change(database)));
            Participant undo = node.changing(i, c -> node.move(c, database, -node.change(database)));
            transfer.step("move-" + i, action, undo);
        }
        Sagas sagas = Sagas.over(transactions, participants).register(transfer.build());
        return new Process(node, transactions, sagas);
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        it.node().locally(0, c -> {
            BankDatabase.update(c, "INSERT INTO sale VALUES (?)", world);
            it.sagas().start(c, "transfer", gid(), "");
        });
        it.transactions().hurry(gid());
        tellTheEnd(it.transactions());
    }

    @Override
    public Pass recovery(CrashProcess process) {
        return pass(start(process).transactions());
    }

    @Override
    public void checkAtTheEnd() throws Exception {
        super.checkAtTheEnd();
        boolean begun = databases.get(0).number("SELECT COUNT(*) FROM sale WHERE world = ?", world) == 1;
        boolean done = available(1, BankNode.account(1)) != 100;
        if (done != (begun && !refused)) {
            throw new AssertionError("Begun: " + begun + ", refused: " + refused + ", done: " + done);
        }
    }
}
