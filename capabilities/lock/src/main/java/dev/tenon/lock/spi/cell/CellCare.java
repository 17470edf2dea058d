package dev.tenon.lock.spi.cell;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import dev.tenon.lock.spi.cell.CellRuns.From;
import dev.tenon.lock.spi.cell.CellRuns.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Passes on what processes had that are gone, and removes cells that nobody needs. Blocking. */
final class CellCare {
    private static final Duration PASS_EVERY = Duration.ofSeconds(30);
    private static final int PAGE = 100;
    private static final int PAGES_MAX = 20;
    private static final int WALK_NAMES_MAX = 20_000;
    private static final Duration STEP = Duration.ofMillis(250);
    private static final int STEPS_MAX = 20;

    private final LockCells cells;
    private final CellRuns runs;
    private final CellPresence presence;
    private final TimeSource time;
    private final CellWalk walk = new CellWalk(WALK_NAMES_MAX);
    private String after = "";
    private long nextPassNanos;

    CellCare(LockCells cells, CellRuns runs, CellPresence presence, TimeSource time) {
        this.cells = cells;
        this.runs = runs;
        this.presence = presence;
        this.time = time;
        this.nextPassNanos = time.nanoTime() + PASS_EVERY.toNanos();
    }

    /** Passes on what a process had of these locks, unless it has come back since somebody said that it is gone. */
    void passOn(String process, Set<String> names) {
        List<String> all = List.copyOf(names);
        for (int from = 0; from < all.size(); from += LockCells.CELLS_MAX) {
            List<Known> concerned =
                    runs.read(all.subList(from, Math.min(all.size(), from + LockCells.CELLS_MAX))).stream()
                            .filter(known -> known.processes().contains(process))
                            .toList();
            Set<String> gone = concerned.isEmpty() ? Set.of() : presence.goneOf(Set.of(process));
            if (!gone.isEmpty()) {
                concerned.forEach(known -> runs.run(known.cell().name(), From.MEMORY, passingOn(gone, known)));
            }
        }
    }

    /**
     * Looks at those of these locks, for which somebody here waits, whose holders should be over by now: nobody tells if one just
     * hangs, and who has come up from far behind has not been asked to look so soon. The one who is first in the queue looks first.
     */
    void lookAfter(Set<String> awaited) {
        Instant now = runs.now();
        List<String> due = awaited.stream()
                .filter(name -> runs.known(name).filter(k -> isDue(k, now)).isPresent())
                .limit(LockCells.CELLS_MAX)
                .toList();
        if (due.isEmpty()) {
            return;
        }
        for (Known known : runs.read(due)) {
            if (!LockMachine.settle(known.state(), runs.now(), known.seed())
                    .grants()
                    .isEmpty()) {
                runs.run(known.cell().name(), From.MEMORY, passingOn(Set.of(), known));
            }
        }
    }

    private boolean isDue(Known known, Instant now) {
        LockState state = known.state();
        int ahead = 0;
        while (ahead < Math.min(STEPS_MAX, state.queue().size())
                && !Address.processOf(state.queue().get(ahead).sessionId()).equals(presence.process())) {
            ahead++;
        }
        Instant looked = now.minus(STEP.multipliedBy(ahead));
        return Stream.concat(state.holders().stream().map(Holder::expiresAt), state.delayUntil().stream())
                .anyMatch(end -> !end.isAfter(looked));
    }

    /** One pass over some of the cells, if it is due; not by several threads at once. */
    void runOnce() {
        if (nextPassNanos - time.nanoTime() > 0) {
            return;
        }
        nextPassNanos = time.nanoTime() + PASS_EVERY.toNanos();
        for (int pages = 0; pages < PAGES_MAX; pages++) {
            List<Cell> page = cells.walk(after, PAGE);
            Instant seen = runs.now();
            boolean last = page.size() < PAGE;
            walk.passed(after, page, last);
            // Before the look: if one of these can't be read, the next pass goes on behind them.
            after = last ? "" : page.get(page.size() - 1).name();
            look(page.stream()
                    .flatMap(cell -> seen(cell, walk.since(cell, seen)).stream())
                    .toList());
            if (last) {
                return;
            }
        }
    }

    /** Empty: it can't be read. Whoever wrote it is not Tenon, and it is not for Tenon to remove. */
    private Optional<Known> seen(Cell cell, Instant since) {
        try {
            return Optional.of(runs.seenSince(cell, since));
        } catch (TenonException e) {
            return Optional.empty();
        }
    }

    private void look(List<Known> page) {
        Set<String> processes = new LinkedHashSet<>();
        page.forEach(known -> processes.addAll(known.processes()));
        Set<String> gone = presence.goneOf(processes);
        for (Known known : page) {
            Step<Boolean> settled = LockMachine.settle(known.state(), runs.now(), known.seed());
            boolean left = known.processes().stream().anyMatch(gone::contains);
            if (settled.answer() || settled.state().isIdle() || left) {
                runs.run(known.cell().name(), From.MEMORY, passingOn(gone, known));
            }
        }
    }

    /**
     * Takes these processes, which are gone, out of a lock: their places in the queue, and those holds whose leases are over
     * by the holders' own reckoning; and lets time pass. The answer says whether there were any.
     *
     * @param seen the lock as it was before the processes were found gone. A lease that is not in it may be of one that has
     *     come back, and stays
     */
    static Transition<Boolean> passingOn(Set<String> gone, Known seen) {
        return (known, now) -> {
            LockState state = known.state();
            Set<String> kept = new HashSet<>();
            for (Holder h : state.holders()) {
                Known.LeaseMark lease = known.leases().get(h.token());
                if (lease == null
                        || !lease.covered()
                        || !lease.equals(seen.leases().get(h.token()))) {
                    kept.add(h.sessionId());
                }
            }
            Set<String> leaving = new LinkedHashSet<>();
            state.holders().stream()
                    .map(Holder::sessionId)
                    .filter(s -> !kept.contains(s))
                    .forEach(leaving::add);
            state.queue().stream().map(Waiter::sessionId).forEach(leaving::add);
            leaving.removeIf(s -> !gone.contains(Address.processOf(s)));
            List<Grant> grants = new ArrayList<>();
            for (String session : leaving) {
                Step<Boolean> step = kept.contains(session)
                        ? withoutWaiters(state, session, now, known.seed())
                        : LockMachine.leave(state, session, true, now, known.seed());
                state = step.state();
                grants.addAll(step.grants());
            }
            Step<Boolean> settled = LockMachine.settle(state, now, known.seed());
            grants.addAll(settled.grants());
            return new Step<>(settled.state(), !leaving.isEmpty(), grants);
        };
    }

    private static Step<Boolean> withoutWaiters(LockState state, String session, Instant now, long seed) {
        LockState left = new LockState(
                state.name(),
                state.token(),
                state.holders(),
                state.queue().stream()
                        .filter(w -> !w.sessionId().equals(session))
                        .toList(),
                state.delayUntil());
        return LockMachine.settle(left, now, seed);
    }
}
