package dev.tenon.jdbc.bank;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** What every process of the bank has: its databases, and accounts in them. */
final class BankNode {
    /** What is moved into each account that gets something. */
    static final int AMOUNT = 10;

    final CrashProcess process;
    final String world;
    final List<DataSource> sources = new ArrayList<>();
    private final List<BankDatabase> databases;

    BankNode(CrashProcess process, String world, List<BankDatabase> databases) {
        this.process = process;
        this.world = world;
        this.databases = databases;
        for (int i = 0; i < databases.size(); i++) {
            sources.add(process.over("db" + (char) ('A' + i), databases.get(i).source));
        }
    }

    /** Tenon with connections of this process. */
    JdbcBackend backend(int database) {
        JdbcBackend backend = JdbcBackend.over(sources.get(database));
        process.closing(backend::disconnect);
        return backend;
    }

    /** What works on the connections that it is given, and so need not be made anew for each process. */
    JdbcBackend shared(int database) {
        return databases.get(database).backend;
    }

    /** How many accounts get something: one in each database but the first. */
    int receivers() {
        return sources.size() - 1;
    }

    /** The account that pays is in the first database; there is one that is paid in each other. */
    static String account(int database) {
        return database == 0 ? "payer" : "payee";
    }

    /** What the account in a database gets, or gives. */
    int change(int database) {
        return database == 0 ? -AMOUNT * receivers() : AMOUNT;
    }

    /** Changes an account, unless there would be less than nothing in it. */
    boolean move(Connection connection, int database, int amount) throws SQLException {
        return BankDatabase.update(
                        connection,
                        "UPDATE account SET available = available + ? WHERE world = ? AND name = ? AND available >= ?",
                        amount,
                        world,
                        account(database),
                        -amount)
                == 1;
    }

    /** A local transaction of the business. */
    interface Work {
        void in(Connection connection) throws Exception;
    }

    void locally(int database, Work work) throws Exception {
        try (Connection connection = sources.get(database).getConnection()) {
            connection.setAutoCommit(false);
            work.in(connection);
            connection.commit();
        }
    }

    /** Work of a participant, in its own local transaction behind the barrier. */
    interface Change {
        boolean in(Connection connection) throws SQLException;
    }

    /** A participant that changes something in a database once, or refuses. */
    Participant changing(int database, Change change) {
        return call -> once(database, call, change);
    }

    Reply once(int database, BranchCall call, Change change) throws Exception {
        try (Connection connection = sources.get(database).getConnection()) {
            connection.setAutoCommit(false);
            Reply reply = shared(database)
                    .barrier()
                    .call(connection, call, c -> change.in(c) ? Reply.done() : Reply.refused("not enough, or closed"));
            if (reply instanceof Reply.Done) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return reply;
        }
    }
}
