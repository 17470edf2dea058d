package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.testkit.crash.LeftOpen;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import dev.tenon.tx.xa.XaDatabases;
import dev.tenon.tx.xa.XaOptions;
import dev.tenon.tx.xa.XaTransaction;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Plain SQL in each database, and two phases. */
final class XaBank extends BankScenario {
    XaBank(String world, List<BankDatabase> databases) {
        super("xa", world, databases);
    }

    private record Process(BankNode node, Transactions transactions, Xa xa) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        Map<String, XaDatabase> all = new TreeMap<>();
        for (int i = 0; i < databases.size(); i++) {
            String name = "xa" + (char) ('A' + i);
            all.put(
                    name,
                    XaDatabase.of(
                            process.over(name, databases.get(i).xa()),
                            node.shared(i).barrierStore()));
        }
        XaDatabases known = process.closing(XaDatabases.of(all));
        Transactions transactions =
                process.closing(TransactionEngine.over(node.backend(0).transactions(), process.over(known), options()));
        XaOptions options =
                XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)).withTime(clock());
        return new Process(node, transactions, process.closing(Xa.over(transactions, known, options)));
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        try (XaTransaction tx = it.xa().begin()) {
            for (int i = 0; i < databases.size(); i++) {
                it.node()
                        .move(
                                tx.connection("xa" + (char) ('A' + i)),
                                i,
                                it.node().change(i));
            }
            tell(tx.commit());
        }
    }

    @Override
    public Pass recovery(CrashProcess process) {
        Process it = start(process);
        LeftOpen left = left();
        return () -> {
            left.age(LATER);
            it.transactions().runOnce();
            it.xa().runOnce();
            for (BankDatabase database : databases) {
                if (!database.hasNothingPrepared(world)) {
                    return false;
                }
            }
            return left.isNothing();
        };
    }
}
