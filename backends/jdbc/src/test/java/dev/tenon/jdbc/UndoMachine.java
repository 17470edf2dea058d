package dev.tenon.jdbc;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.at.AtResource;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A machine against automatic undo: random transactions, with and without it, take turns on a random schema, in one
 * thread, so that a seed says what happens. What each local commit changes is seen from outside. An undo must put
 * exactly that back; or say why it can't, if somebody else has committed since, and then change nothing.
 */
final class UndoMachine {
    /** Rounds on one schema. */
    static final int ROUNDS = 20;

    private final UndoMachineDatabase database;
    private final UndoMachineSchema schema;
    private final AtResource resource;
    private final Random random;
    private final boolean strict;
    private final List<String> log = new ArrayList<>();
    private final List<TransactionId> forgotten = new ArrayList<>();
    private Map<String, String> rows = Map.of();
    private int commits;
    int undone;
    int suspended;

    /** What a branch has committed: its rows before and after. */
    private record Branch(String name, Map<String, String> before, Map<String, String> after, int commit) {}

    private static final class Actor {
        final String name;
        final boolean plain;
        final boolean commits;
        final Deque<Branch> branches = new ArrayDeque<>();
        final TransactionId gid = AutoUndoBench.newId();
        int steps;
        int named;

        @Nullable
        Connection open;

        Actor(String name, boolean plain, boolean commits, int steps) {
            this.name = name;
            this.plain = plain;
            this.commits = commits;
            this.steps = steps;
        }
    }

    /**
     * @param strict whether an undo that fails by a constraint, after others have committed, is a failure: it has to be
     * refused
     */
    UndoMachine(
            UndoMachineDatabase database,
            UndoMachineSchema schema,
            AtResource resource,
            Random random,
            boolean strict) {
        this.database = database;
        this.schema = schema;
        this.resource = resource;
        this.random = random;
        this.strict = strict;
    }

    /** What has happened in the round, for who wants to see it again. */
    String log() {
        return String.join("\n", log);
    }

    void round() throws Exception {
        log.clear();
        schema.refill();
        rows = schema.rows();
        log.add("rows: " + rows);
        List<Actor> actors = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        for (int i = 0; i < count; i++) {
            boolean plain = i > 0 && random.nextBoolean();
            actors.add(new Actor((plain ? "plain" : "at") + i, plain, random.nextInt(4) == 0, 1 + random.nextInt(5)));
        }
        List<Actor> ending = new ArrayList<>(actors);
        for (int turn = 0; !ending.isEmpty(); turn++) {
            Actor actor = ending.get(random.nextInt(ending.size()));
            if (turn > 2_000) {
                throw new AssertionError(actor.name + " does not end");
            }
            if (step(actor, ending)) {
                ending.remove(actor);
            }
        }
        freeForgotten();
        List<String> left = database.query("SELECT gid FROM tenon_undo UNION SELECT gid FROM tenon_row_lock");
        require(left.isEmpty(), "These are left: " + left);
    }

    /** One step of an actor; returns whether that has ended. */
    private boolean step(Actor actor, List<Actor> all) throws Exception {
        if (actor.steps-- > 0) {
            Connection connection = connection(actor);
            switch (random.nextInt(10)) {
                case 0 -> {
                    log.add(actor.name + ": ROLLBACK");
                    connection.rollback();
                }
                case 1, 2 -> commit(actor, connection);
                default -> run(actor, connection);
            }
            return false;
        }
        Connection open = actor.open;
        if (open != null) {
            if (random.nextInt(5) > 0) {
                commit(actor, open);
            } else {
                log.add(actor.name + ": CLOSE");
                open.close();
                actor.open = null;
            }
            return false;
        }
        return end(actor, all);
    }

    private Connection connection(Actor actor) throws SQLException {
        Connection open = actor.open;
        if (open == null) {
            actor.named++;
            open = actor.plain ? database.connect() : resource.connect(actor.gid, "b" + actor.named);
            actor.open = open;
        }
        return open;
    }

    private void run(Actor actor, Connection connection) throws SQLException {
        UndoMachineSchema.Sql sql = schema.statement();
        String what = actor.name + ": " + sql;
        try {
            execute(connection, sql, random.nextInt(4) == 0);
            log.add(what);
        } catch (SQLFeatureNotSupportedException e) {
            log.add(what + " -- refused");
            require(!sql.plain() || actor.plain, "Refused: " + e.getMessage());
        } catch (SQLException e) {
            log.add(what + " -- " + e.getMessage());
            require(isOrdinary(e), "A raw error: " + e);
            log.add(actor.name + ": ROLLBACK");
            connection.rollback();
        }
    }

    private static void execute(Connection connection, UndoMachineSchema.Sql sql, boolean asBatch) throws SQLException {
        if (sql.parameters().isEmpty()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.text());
            }
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql.text())) {
            for (int i = 0; i < sql.parameters().size(); i++) {
                if (sql.parameters().get(i) instanceof Integer number) {
                    statement.setInt(i + 1, number);
                } else {
                    statement.setString(i + 1, String.valueOf(sql.parameters().get(i)));
                }
            }
            if (asBatch) {
                statement.addBatch();
                statement.executeBatch();
            } else {
                statement.execute();
            }
        } catch (BatchUpdateException e) {
            throw e.getCause() instanceof SQLException cause ? cause : e;
        }
    }

    /** A constraint, a lock, a value that is too great, a deadlock. */
    private static boolean isOrdinary(SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return state.startsWith("23")
                || state.startsWith("40")
                || state.startsWith("55")
                || state.startsWith("22003")
                || state.startsWith("22007") // a time that is not there in the session's zone
                || state.startsWith("HYT00")
                || e.getErrorCode() == 1205
                || e.getErrorCode() == 1020
                || e.getErrorCode() == 1364; // no default for a key that was not given
    }

    private void commit(Actor actor, Connection connection) throws SQLException {
        try {
            connection.commit();
            log.add(actor.name + ": COMMIT");
        } catch (SQLException e) {
            log.add(actor.name + ": COMMIT -- " + e.getMessage());
            connection.rollback();
            connection.close();
            actor.open = null;
            requireRows(rows, "A commit that failed");
            return;
        }
        connection.close();
        actor.open = null;
        Map<String, String> now = schema.rows();
        Map<String, String> before = new TreeMap<>();
        Map<String, String> after = new TreeMap<>();
        TreeSet<String> keys = new TreeSet<>(rows.keySet());
        keys.addAll(now.keySet());
        for (String key : keys) {
            if (!Objects.equals(rows.get(key), now.get(key))) {
                before.put(key, String.valueOf(rows.get(key)));
                after.put(key, String.valueOf(now.get(key)));
            }
        }
        rows = now;
        if (!before.isEmpty()) {
            commits++;
        }
        if (!actor.plain) {
            actor.branches.push(new Branch("b" + actor.named, before, after, commits));
        }
    }

    private boolean end(Actor actor, List<Actor> all) throws Exception {
        while (!actor.branches.isEmpty()) {
            Branch branch = actor.branches.peek();
            Operation operation = actor.commits ? Operation.CONFIRM : Operation.CANCEL;
            String what = actor.name + ": " + operation + " " + branch.name();
            Reply reply;
            try {
                reply = resource.participant()
                        .call(new BranchCall(actor.gid, branch.name(), operation, "", "", Map.of(), 1));
            } catch (SQLException e) {
                log.add(what + " -- " + e.getMessage());
                requireRows(rows, "An undo that failed");
                if (all.stream().anyMatch(other -> other.open != null)) {
                    return false; // later: somebody else has the row
                }
                require(!strict && commits > branch.commit(), "Tried for ever: " + e);
                forget(actor);
                return true;
            }
            log.add(what + " -- " + reply);
            if (!(reply instanceof Reply.Done)) {
                requireRows(rows, "An undo that was refused");
                require(commits > branch.commit(), "Refused, and nobody else has committed anything");
                forget(actor);
                return true;
            }
            if (!actor.commits) {
                undone(branch);
            }
            requireRows(rows, what);
            actor.branches.pop();
        }
        return true;
    }

    private void undone(Branch branch) {
        Map<String, String> expected = new TreeMap<>(rows);
        branch.after().forEach((key, left) -> {
            String now = String.valueOf(rows.get(key));
            require(now.equals(left), "Overwritten: " + key + " was left as " + left + " and is " + now);
            String was = String.valueOf(branch.before().get(key));
            if (was.equals("null")) {
                expected.remove(key);
            } else {
                expected.put(key, was);
            }
        });
        rows = expected;
        undone++;
        commits++;
    }

    /**
     * A transaction that is suspended stays so: what it holds is freed when the others have ended, whose locks may be
     * in the way.
     */
    private void forget(Actor actor) {
        suspended++;
        actor.branches.clear();
        forgotten.add(actor.gid);
    }

    private void freeForgotten() throws SQLException {
        for (TransactionId gid : forgotten) {
            String its = " WHERE gid = '" + gid.text() + "'";
            database.run(List.of("DELETE FROM tenon_undo" + its, "DELETE FROM tenon_row_lock" + its));
        }
        forgotten.clear();
    }

    private void requireRows(Map<String, String> expected, String what) throws SQLException {
        Map<String, String> now = schema.rows();
        if (!now.equals(expected)) {
            Map<String, String> more = new TreeMap<>(now);
            more.entrySet().removeAll(expected.entrySet());
            Map<String, String> missing = new TreeMap<>(expected);
            missing.entrySet().removeAll(now.entrySet());
            throw new AssertionError(what + ": there is " + more + ", and should be " + missing);
        }
    }

    private static void require(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
