package dev.tenon.lock.engine;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CasLoop.From;
import dev.tenon.lock.engine.CasLoop.Transition;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Passes on what processes had that are gone, and removes registers that nobody needs. Blocking. */
final class OrphanSweeper {
    private static final Duration PASS_EVERY = Duration.ofSeconds(30);
    private static final int PAGE = 100;
    private static final int PAGES_MAX = 20;
    private static final int WALK_NAMES_MAX = 20_000;
    private static final Duration STEP = Duration.ofMillis(250);
    private static final int STEPS_MAX = 20;

    private final RegisterStore registers;
    private final CasLoop loop;
    private final ProcessPresence presence;
    private final TimeSource time;
    private final SweepMemory walk = new SweepMemory(WALK_NAMES_MAX);
    private String after = "";
    private long nextPassNanos;

    OrphanSweeper(RegisterStore registers, CasLoop loop, ProcessPresence presence, TimeSource time) {
        this.registers = registers;
        this.loop = loop;
        this.presence = presence;
        this.time = time;
        this.nextPassNanos = time.nanoTime() + PASS_EVERY.toNanos();
    }

    /** Passes on what a process had of these locks, unless it has come back since somebody said that it is gone. */
    void passOn(String process, Set<String> names) {
        List<String> all = List.copyOf(names);
        for (int from = 0; from < all.size(); from += RegisterStore.REGISTERS_MAX) {
            List<RegisterView> concerned =
                    loop.read(all.subList(from, Math.min(all.size(), from + RegisterStore.REGISTERS_MAX))).stream()
                            .filter(known -> known.processes().contains(process))
                            .toList();
            Set<String> gone = concerned.isEmpty() ? Set.of() : presence.goneOf(Set.of(process));
            if (!gone.isEmpty()) {
                concerned.forEach(known -> loop.run(known.register().name(), From.MEMORY, passingOn(gone, known)));
            }
        }
    }

    /**
     * Looks at those of these locks, for which somebody here waits, whose holders should be over by now: nobody tells
     * if one just hangs, and who has come up from far behind has not been asked to look so soon. The one who is first
     * in the queue looks first.
     */
    void lookAfter(Set<String> awaited) {
        Instant now = loop.now();
        List<String> due = awaited.stream()
                .filter(name -> loop.known(name).filter(k -> isDue(k, now)).isPresent())
                .limit(RegisterStore.REGISTERS_MAX)
                .toList();
        if (due.isEmpty()) {
            return;
        }
        for (RegisterView known : loop.read(due)) {
            if (!LockMachine.settle(known.state(), loop.now(), known.seed())
                    .grants()
                    .isEmpty()) {
                loop.run(known.register().name(), From.MEMORY, passingOn(Set.of(), known));
            }
        }
    }

    private boolean isDue(RegisterView known, Instant now) {
        LockState state = known.state();
        int ahead = 0;
        while (ahead < Math.min(STEPS_MAX, state.queue().size())
                && !SessionAddress.processOf(state.queue().get(ahead).sessionId())
                        .equals(presence.process())) {
            ahead++;
        }
        Instant looked = now.minus(STEP.multipliedBy(ahead));
        return Stream.concat(state.holders().stream().map(Holder::expiresAt), state.delayUntil().stream())
                .anyMatch(end -> !end.isAfter(looked));
    }

    /** One pass over some of the registers, if it is due; not by several threads at once. */
    void runOnce() {
        if (nextPassNanos - time.nanoTime() > 0) {
            return;
        }
        nextPassNanos = time.nanoTime() + PASS_EVERY.toNanos();
        for (int pages = 0; pages < PAGES_MAX; pages++) {
            List<Register> page = registers.walk(after, PAGE);
            Instant seen = loop.now();
            boolean last = page.size() < PAGE;
            walk.passed(after, page, last);
            // Before the look: if one of these can't be read, the next pass goes on behind them.
            after = last ? "" : page.get(page.size() - 1).name();
            look(page.stream()
                    .flatMap(register -> seen(register, walk.since(register, seen)).stream())
                    .toList());
            if (last) {
                return;
            }
        }
    }

    /** Empty: it can't be read. Whoever wrote it is not Tenon, and it is not for Tenon to remove. */
    private Optional<RegisterView> seen(Register register, Instant since) {
        try {
            return Optional.of(loop.seenSince(register, since));
        } catch (TenonException e) {
            return Optional.empty();
        }
    }

    private void look(List<RegisterView> page) {
        Set<String> processes = new LinkedHashSet<>();
        page.forEach(known -> processes.addAll(known.processes()));
        Set<String> gone = presence.goneOf(processes);
        for (RegisterView known : page) {
            Step<Boolean> settled = LockMachine.settle(known.state(), loop.now(), known.seed());
            boolean left = known.processes().stream().anyMatch(gone::contains);
            if (settled.answer() || settled.state().isIdle() || left) {
                loop.run(known.register().name(), From.MEMORY, passingOn(gone, known));
            }
        }
    }

    /**
     * Takes these processes, which are gone, out of a lock: their places in the queue, and those holds whose leases are
     * over by the holders' own reckoning; and lets time pass. The answer says whether there were any.
     *
     * @param seen the lock as it was before the processes were found gone. A lease that is not in it may be of one that
     *     has come back, and stays
     */
    static Transition<Boolean> passingOn(Set<String> gone, RegisterView seen) {
        return (known, now) -> {
            LockState state = known.state();
            Set<String> kept = new HashSet<>();
            for (Holder h : state.holders()) {
                RegisterView.LeaseMark lease = known.leases().get(h.token());
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
            leaving.removeIf(s -> !gone.contains(SessionAddress.processOf(s)));
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
