package dev.tenon.jdbc;

import dev.tenon.Names;
import dev.tenon.jdbc.LockCalls.Done;
import dev.tenon.jdbc.LockCalls.Transition;
import dev.tenon.jdbc.Shortcuts.Shortcut;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Calls on several locks, in as few round trips as for one or two. Blocking; thread-safe. */
final class LockCallsOfMany {
    private static final int AT_ONCE = 100;

    private final LockCalls calls;
    private final Sql readMany;
    private final Sql write;
    private final Sql insert;
    private final Sql renew;
    private final Shortcut acquireAll;

    LockCallsOfMany(LockCalls calls, Dialect dialect, Shortcuts shortcuts) {
        this.calls = calls;
        this.readMany = dialect.sql(SqlStatement.LOCK_READ_MANY);
        this.write = dialect.sql(SqlStatement.LOCK_WRITE);
        this.insert = dialect.sql(SqlStatement.LOCK_INSERT);
        this.renew = dialect.sql(SqlStatement.LOCK_RENEW);
        this.acquireAll = shortcuts.of(SqlStatement.LOCK_ACQUIRE_ALL);
    }

    private record Change<T>(LockRow row, Step<T> step) {}

    /** @param plain whether the hold is believed to be one that the single statement can renew */
    List<Done<Renewed>> renew(Link link, List<Renew> renewals, Predicate<Renew> plain) throws SQLException {
        Map<Renew, Done<Renewed>> done = new IdentityHashMap<>();
        List<Renew> fast = renewals.stream().filter(plain).toList();
        List<Args> args = fast.stream()
                .map(r -> new Args()
                        .text("name", r.name())
                        .number("token", r.token())
                        .number("lease", LockRow.micros(r.lease().orElseThrow())))
                .toList();
        int[] found = args.size() == 1 ? new int[] {link.update(renew, args.get(0))} : batch(link, renew, args);
        for (int i = 0; i < found.length; i++) {
            if (found[i] == 1) {
                Renew request = fast.get(i);
                done.put(
                        request, new Done<>(new Renewed.Extended(request.lease().orElseThrow()), List.of()));
            }
        }
        Map<String, List<Renew>> rest = new TreeMap<>();
        for (Renew request : renewals) {
            if (!done.containsKey(request)) {
                rest.computeIfAbsent(request.name(), name -> new ArrayList<>()).add(request);
            }
        }
        Map<String, Transition<List<Renewed>>> transitions = new TreeMap<>();
        rest.forEach((name, requests) -> transitions.put(name, renewing(requests)));
        Map<String, Done<List<Renewed>>> answers = run(link, transitions);
        rest.forEach((name, requests) -> {
            Done<List<Renewed>> answer = Objects.requireNonNull(answers.get(name));
            for (int i = 0; i < requests.size(); i++) {
                done.put(requests.get(i), new Done<>(answer.answer().get(i), i == 0 ? answer.grants() : List.of()));
            }
        });
        return renewals.stream().map(r -> Objects.requireNonNull(done.get(r))).toList();
    }

    /**
     * Takes all of these locks or none.
     *
     * @return one outcome for each, all of them grants; or the one that stands in the way
     * @throws SQLException one that is worth another attempt, if somebody else changed one of the locks meanwhile
     */
    Done<List<Outcome>> acquireAll(Link link, List<Acquire> requests) throws SQLException {
        Sql fast = requests.stream().allMatch(r -> LockText.isPlain(r.terms())) ? acquireAll.sql() : null;
        List<String> names = requests.stream().map(Acquire::name).toList();
        // To the machine, requests that the statement has granted are repeated ones.
        Map<String, LockRow> rows = fast == null ? read(link, names) : takeAtOnce(link, fast, requests, names);
        List<Outcome> outcomes = new ArrayList<>();
        Map<String, Change<Outcome>> changes = new TreeMap<>(Names.ORDER);
        for (Acquire request : requests) {
            LockRow row = Objects.requireNonNull(rows.get(request.name()));
            Step<Outcome> step = calls.acquiring(request).apply(row.state(), row.now(), row.seed());
            if (!(step.answer() instanceof Outcome.Granted)) {
                return new Done<>(List.of(step.answer()), List.of());
            }
            outcomes.add(step.answer());
            if (LockCalls.matters(row, step)) {
                changes.put(request.name(), new Change<>(row, step));
            }
        }
        if (changes.isEmpty()) {
            return new Done<>(outcomes, List.of());
        }
        link.atomically(() -> writeAll(link, changes.values()));
        List<Grant> grants = changes.values().stream()
                .flatMap(change -> change.step().grants().stream())
                .toList();
        calls.ring(link, grants);
        return new Done<>(outcomes, LockCalls.others(calls.own(grants), requests));
    }

    /**
     * The rows as they are after a statement that takes all of these locks if they are free, and none if they are not.
     */
    private Map<String, LockRow> takeAtOnce(Link link, Sql sql, List<Acquire> requests, List<String> names)
            throws SQLException {
        String asked = requests.stream()
                .sorted(Comparator.comparing(Acquire::name, Names.ORDER))
                .map(r -> r.name() + "\t" + r.requestId() + "\t" + r.owner() + "\t"
                        + LockRow.micros(r.lease().orElseThrow()) + "\n")
                .collect(Collectors.joining());
        Args args = args(names)
                .text("asked", asked)
                .text("session", calls.address(requests.get(0).sessionId()).text());
        try {
            return rows(link, sql, args, names);
        } catch (SQLException e) {
            // A script that was broken off has not got to its own end of the transaction.
            link.undo(e);
            throw e;
        }
    }

    /** In the order of names, which is the same for all who do this: so nobody waits in a circle. */
    private boolean writeAll(Link link, Collection<Change<Outcome>> changes) throws SQLException {
        List<Args> updates = new ArrayList<>();
        List<Args> inserts = new ArrayList<>();
        for (Change<Outcome> change : changes) {
            (change.row().version() == 0 ? inserts : updates).add(calls.args(change.row(), change.step()));
        }
        for (int found : batch(link, write, updates)) {
            if (found != 1) {
                throw new SQLException("One of the locks changed meanwhile", "40001");
            }
        }
        batch(link, insert, inserts); // fails on the key of one that has come up meanwhile
        return true;
    }

    /** The machine on several locks that have nothing to do with each other. */
    private <T> Map<String, Done<T>> run(Link link, Map<String, Transition<T>> transitions) throws SQLException {
        Map<String, Done<T>> done = new HashMap<>();
        Map<String, LockRow> rows = read(link, List.copyOf(transitions.keySet()));
        List<Change<T>> changes = new ArrayList<>();
        for (Map.Entry<String, Transition<T>> each : transitions.entrySet()) {
            LockRow row = Objects.requireNonNull(rows.get(each.getKey()));
            Step<T> step = each.getValue().apply(row.state(), row.now(), row.seed());
            if (!LockCalls.matters(row, step)) {
                done.put(each.getKey(), new Done<>(step.answer(), List.of()));
            } else if (row.version() > 0 && step.grants().isEmpty()) {
                changes.add(new Change<>(row, step));
            } else {
                done.put(each.getKey(), calls.run(link, row, each.getValue()));
            }
        }
        int[] found = batch(
                link,
                write,
                changes.stream().map(c -> calls.args(c.row(), c.step())).toList());
        for (int i = 0; i < found.length; i++) {
            Change<T> change = changes.get(i);
            String name = change.row().state().name();
            Transition<T> again = Objects.requireNonNull(transitions.get(name));
            done.put(
                    name, found[i] == 1 ? new Done<>(change.step().answer(), List.of()) : calls.run(link, name, again));
        }
        return done;
    }

    private static Transition<List<Renewed>> renewing(List<Renew> ofOneName) {
        return (state, now, seed) -> {
            LockState next = state;
            List<Renewed> answers = new ArrayList<>();
            List<Grant> grants = new ArrayList<>();
            for (Renew request : ofOneName) {
                Duration lease = request.lease().orElseThrow();
                Step<Renewed> step = LockMachine.renew(next, request.token(), lease, now, seed);
                next = step.state();
                answers.add(step.answer());
                grants.addAll(step.grants());
            }
            return new Step<>(next, answers, grants);
        };
    }

    private Map<String, LockRow> read(Link link, List<String> names) throws SQLException {
        Map<String, LockRow> rows = new HashMap<>();
        for (int from = 0; from < names.size(); from += AT_ONCE) {
            List<String> some = names.subList(from, Math.min(names.size(), from + AT_ONCE));
            rows.putAll(rows(link, readMany, args(some), some));
        }
        return rows;
    }

    private static Args args(List<String> names) {
        Args args = new Args();
        for (int i = 0; i < AT_ONCE; i++) {
            args.text("n" + i, i < names.size() ? names.get(i) : "");
        }
        return args;
    }

    /** The rows that a statement gives, and free locks for the names that it has no row of. */
    private static Map<String, LockRow> rows(Link link, Sql sql, Args args, List<String> names) throws SQLException {
        record Found(LockRow row, long seed, Instant now) {}
        List<Found> found = link.query(sql, args, row -> {
            long now = row.getLong("now_at");
            long seed = LockMachine.nextToken(row.getLong("fence"), now);
            return new Found(LockRow.read("", row), seed, LockRow.instant(now));
        });
        Map<String, LockRow> rows = new HashMap<>();
        Found any = found.get(0);
        for (String name : names) {
            rows.put(name, new LockRow(LockState.free(name, 0), 0, any.now(), any.seed(), Map.of()));
        }
        found.stream()
                .map(Found::row)
                .filter(row -> row.version() > 0)
                .forEach(row -> rows.put(row.state().name(), row));
        return rows;
    }

    private static int[] batch(Link link, Sql sql, List<Args> all) throws SQLException {
        return all.isEmpty() ? new int[0] : link.batch(sql, all);
    }
}
