package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A sale: money is reserved for the shop, and goods for the buyer; in another story there is not enough of the last
 * goods. What is available and reserved in one database is always what it was.
 */
final class TccBank extends BankScenario {
    private static final int PRICE = 10;

    private final boolean refused;

    TccBank(String world, List<BankDatabase> databases, boolean refused) {
        super(refused ? "soldout" : "tcc", world, databases);
        this.refused = refused;
    }

    @Override
    List<String> accounts(int database) {
        return database == 0 ? List.of("payer", "shop") : List.of("payee", "sold");
    }

    private record Process(BankNode node, Transactions transactions, Tcc tcc) {}

    private Process start(CrashProcess process) {
        BankNode node = node(process);
        NamedParticipants participants = new NamedParticipants();
        Transactions transactions = process.closing(
                TransactionEngine.over(node.backend(0).transactions(), process.over(participants), options()));
        Tcc tcc = process.closing(Tcc.over(transactions, participants));
        for (int i = 0; i < databases.size(); i++) {
            int database = i;
            long price = refused && i == databases.size() - 1 ? 1000 : PRICE;
            tcc.register(
                    "account-" + i,
                    1,
                    TccParticipant.of(
                            node.changing(i, c -> change(c, database, -price, price, 0)),
                            node.changing(i, c -> change(c, database, 0, -price, price)),
                            node.changing(i, c -> change(c, database, price, -price, 0))));
        }
        return new Process(node, transactions, tcc);
    }

    /** Changes what is available and reserved, and what the other account of the database has: all in one statement. */
    private boolean change(Connection connection, int database, long available, long reserved, long other)
            throws SQLException {
        boolean enough = BankDatabase.update(
                        connection,
                        "UPDATE account SET available = available + ?, reserved = reserved + ?"
                                + " WHERE world = ? AND name = ? AND available >= ?",
                        available,
                        reserved,
                        world,
                        accounts(database).get(0),
                        -available)
                == 1;
        return enough
                && (other == 0
                        || BankDatabase.update(
                                        connection,
                                        "UPDATE account SET available = available + ? WHERE world = ? AND name = ?",
                                        other,
                                        world,
                                        accounts(database).get(1))
                                == 1);
    }

    @Override
    public void act(CrashProcess process) throws Exception {
        Process it = start(process);
        List<TccBranch> branches = new ArrayList<>();
        for (int i = 0; i < databases.size(); i++) {
            branches.add(TccBranch.of("account-" + i, ""));
        }
        try (TccTransaction tx = it.tcc().begin(gid(), SHORT, branches.toArray(TccBranch[]::new))) {
            it.node().locally(0, c -> {
                BankDatabase.update(c, "INSERT INTO sale VALUES (?)", world);
                tx.commit(c);
            });
        } catch (TransactionAbortedException e) {
            if (!refused) {
                throw e;
            }
        }
        tellTheEnd(it.transactions());
    }

    @Override
    public Pass recovery(CrashProcess process) {
        return pass(start(process).transactions());
    }

    @Override
    public void checkAtAnyMoment() throws Exception {
        bank().requireEachLedgerAsItWas();
    }

    @Override
    public void checkAtTheEnd() throws Exception {
        bank().requireAtTheEnd();
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < databases.size(); i++) {
            times.add(available(i, accounts(i).get(1)) / PRICE);
        }
        times.add(databases.get(0).number("SELECT COUNT(*) FROM sale WHERE world = ?", world));
        requireAllOrNothing(times);
    }
}
