package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.engine.TransactionEngine;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Plain SQL in each database, committed at once, with its inverse beside it. */
final class AtBank extends BankScenario {
    AtBank(String world, List<BankDatabase> databases) {
        super("at", world, databases);
    }

    private record Process(BankNode node, Transactions transactions, AtTransactions at) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        Map<String, AtResource> resources = new TreeMap<>();
        for (int i = 0; i < databases.size(); i++) {
            resources.put(name(i), node.shared(i).autoUndo(node.sources.get(i)));
        }
        Transactions transactions = process.closing(TransactionEngine.over(
                node.backend(0).transactions(), process.over(AtTransactions.participants(resources)), options()));
        return new Process(node, transactions, AtTransactions.over(transactions, resources));
    }

    private static String name(int database) {
        return "bank" + (char) ('A' + database);
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        try (AtTransaction tx = it.at().begin(SHORT)) {
            for (int i = 0; i < databases.size(); i++) {
                it.node().move(tx.connection(name(i)), i, it.node().change(i));
            }
            tx.commit();
            tell(it.transactions().await(tx.gid(), PATIENCE).state());
        }
    }

    @Override
    public Pass recovery(CrashProcess process) {
        return pass(start(process).transactions());
    }
}
