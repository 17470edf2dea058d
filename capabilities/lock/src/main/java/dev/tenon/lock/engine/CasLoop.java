package dev.tenon.lock.engine;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.lock.engine.RegisterStore.Change;
import dev.tenon.lock.engine.RegisterStore.Written;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.Revocation;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Transitions of the lock machine on registers: each is worked out from a register as it is known here, and written if
 * the register still is that; if it is not, again from what the store has told instead. Blocking; thread-safe.
 */
final class CasLoop {
    private static final int TEXT_BYTES_MAX = 256 << 10;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int LOST_WITHOUT_PAUSE = 3;
    private static final int PAUSE_MAX_MILLIS = 64;

    private final RegisterStore registers;
    private final RegisterCache memory;
    private final SessionBook sessions;
    private final ProcessPresence presence;
    private final TimeSource time;

    CasLoop(
            RegisterStore registers,
            RegisterCache memory,
            SessionBook sessions,
            ProcessPresence presence,
            TimeSource time) {
        this.registers = registers;
        this.memory = memory;
        this.sessions = sessions;
        this.presence = presence;
        this.time = time;
    }

    /** A call of the state machine. */
    @FunctionalInterface
    interface Transition<T> {
        Step<T> apply(RegisterView before, Instant now);
    }

    record Work<T>(String name, Transition<T> transition) {}

    /** What a transition came to; {@code known}: the register that the answer is true of. */
    record Done<T>(T answer, RegisterView known) {}

    /** What to begin with. What turns out not to need a write was read from the store in any case. */
    enum From {
        /**
         * No register, unless this process has something to do with it already: a lock that is tried for is most likely
         * free.
         */
        NOTHING,
        /** The register as it is remembered. */
        MEMORY,
        /** The register as it is. */
        STORE
    }

    <T> Done<T> run(String name, From from, Transition<T> transition) {
        return run(name, from, transition, Set.of());
    }

    /** @param answered requests whose grants are in the answer, and are not to be told beside it */
    <T> Done<T> run(String name, From from, Transition<T> transition, Set<String> answered) {
        return run(List.of(new Work<>(name, transition)), from, any -> true, answered)
                .get(0);
    }

    /**
     * All of these, in one write.
     *
     * @param good an answer that is not: nothing is written, and it is the only one that is returned
     */
    <T> List<Done<T>> run(List<Work<T>> works, From from, Predicate<T> good, Set<String> answered) {
        return new Run<>(works, good, answered)
                .attempts(from, Integer.MAX_VALUE)
                .orElseThrow();
    }

    /**
     * All of these, in one write if that is possible at once, and else one after the other. Empty: the register can't
     * be read, and it does not have to do with the others; if none can be read, that is said.
     */
    <T> List<Optional<Done<T>>> runEach(List<Work<T>> works, From from) {
        int characters = works.stream()
                .mapToInt(w -> memory.find(w.name())
                        .flatMap(k -> k.register().text())
                        .map(String::length)
                        .orElse(0))
                .sum();
        if (works.size() > 1 && characters <= TEXT_BYTES_MAX) {
            Optional<List<Done<T>>> together = readable(
                    () -> new Run<>(works, any -> true, Set.of()).attempts(from, 2), unreadable -> Optional.empty());
            if (together.isPresent()) {
                return together.get().stream().map(Optional::of).toList();
            }
        }
        List<Optional<Done<T>>> done = new ArrayList<>();
        List<TenonException> failures = new ArrayList<>();
        for (Work<T> work : works) {
            done.add(readable(() -> Optional.of(run(work.name(), From.MEMORY, work.transition())), unreadable -> {
                failures.add(unreadable);
                return Optional.empty();
            }));
        }
        if (!works.isEmpty() && failures.size() == works.size()) {
            throw failures.get(0);
        }
        return done;
    }

    /** What to do instead if a register is not what Tenon writes; that the store does not answer is another matter. */
    private static <T> T readable(Supplier<T> call, Function<TenonException, T> instead) {
        try {
            return call.get();
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            throw e;
        } catch (TenonException e) {
            return instead.apply(e);
        }
    }

    List<RegisterView> read(List<String> names) {
        List<Register> found = registers.read(names);
        Instant seen = now();
        return found.stream().map(register -> memory.see(register, seen)).toList();
    }

    /** A register as it is remembered. */
    Optional<RegisterView> known(String name) {
        return memory.find(name);
    }

    /** A register that the store has told of. */
    RegisterView seen(Register register, Instant at) {
        return memory.see(register, at);
    }

    /** The same, of which it is known since when it has been so. */
    RegisterView seenSince(Register register, Instant since) {
        return memory.seeSince(register, since);
    }

    Instant now() {
        return RegisterView.moment(time.nanoTime());
    }

    /** Some transitions on their way. */
    private final class Run<T> {
        private final List<Work<T>> works;
        private final Predicate<T> good;
        private final Set<String> answered;
        private final List<RegisterView> known = new ArrayList<>();
        private boolean certain;

        Run(List<Work<T>> works, Predicate<T> good, Set<String> answered) {
            this.works = works;
            this.good = good;
            this.answered = answered;
        }

        /** Empty: others were quicker that many times. */
        Optional<List<Done<T>>> attempts(From from, int max) {
            begin(from);
            long deadline = time.nanoTime() + PATIENCE.toNanos();
            for (int lost = 0; lost < max; ) {
                Instant now = now();
                Batch portion = new Batch(works.size(), this::isUntold);
                List<Step<T>> steps = indices().stream()
                        .map(i -> portion.of(
                                known.get(i).state(), works.get(i).transition().apply(known.get(i), now)))
                        .toList();
                Optional<Integer> bad = indices().stream()
                        .filter(i -> !good.test(steps.get(i).answer()))
                        .findFirst();
                List<Integer> toWrite = bad.isPresent()
                        ? List.of()
                        : indices().stream()
                                .filter(i -> known.get(i).isChangedBy(steps.get(i), now, presence.process()))
                                .toList();
                if (!certain && toWrite.size() < works.size()) {
                    begin(From.STORE);
                } else if (bad.isPresent()) {
                    return Optional.of(List.of(new Done<>(steps.get(bad.get()).answer(), known.get(bad.get()))));
                } else if (toWrite.isEmpty() || write(steps, toWrite, now)) {
                    portion.cut().forEach(CasLoop.this::letMoreIn);
                    return Optional.of(indices().stream()
                            .map(i -> new Done<>(steps.get(i).answer(), known.get(i)))
                            .toList());
                } else {
                    pause(++lost, deadline);
                }
            }
            return Optional.empty();
        }

        private List<Integer> indices() {
            return IntStream.range(0, works.size()).boxed().toList();
        }

        private void begin(From from) {
            List<@Nullable RegisterView> found = new ArrayList<>();
            List<String> missing = new ArrayList<>();
            for (Work<T> work : works) {
                RegisterView begun = begun(work.name(), from);
                found.add(begun);
                if (begun == null) {
                    missing.add(work.name());
                }
            }
            List<RegisterView> read = missing.isEmpty() ? List.of() : read(missing);
            known.clear();
            int next = 0;
            for (RegisterView each : found) {
                known.add(each == null ? read.get(next++) : each);
            }
            certain = missing.size() == works.size();
        }

        private @Nullable RegisterView begun(String name, From from) {
            return switch (from) {
                case NOTHING ->
                    memory.find(name)
                            .filter(k -> k.processes().contains(presence.process()))
                            .orElseGet(() -> RegisterView.absent(name));
                case MEMORY -> memory.find(name).orElse(null);
                case STORE -> null;
            };
        }

        private boolean write(List<Step<T>> steps, List<Integer> toWrite, Instant now) {
            List<RegisterView> nexts = new ArrayList<>();
            List<Change> changes = new ArrayList<>();
            List<Notice> notices = new ArrayList<>();
            for (int i : toWrite) {
                RegisterView before = known.get(i);
                Step<T> step = steps.get(i);
                RegisterView next =
                        before.next(step.state(), new RegisterView.Moment(now, time.now()), CasLoop.this::covered);
                nexts.add(next);
                changes.add(new Change(before.register(), text(before, next, now)));
                notices.addAll(notices(before, step, answered));
            }
            boolean owed = toWrite.stream().anyMatch(i -> !own(steps.get(i)).isEmpty());
            Written written;
            try {
                written = registers.write(changes, notices);
            } catch (OutcomeUnknownException e) {
                if (owed) {
                    // It may have handed a lock to a waiter of this process, which nobody has told.
                    sessions.resync();
                }
                throw e;
            }
            Instant seen = now();
            for (int n = 0; n < toWrite.size(); n++) {
                Register register = written.now().get(n);
                RegisterView then = written.done() ? nexts.get(n).as(register) : memory.see(register, seen);
                known.set(toWrite.get(n), then);
                if (written.done()) {
                    memory.wrote(then);
                }
            }
            certain = true;
            if (written.done()) {
                toWrite.forEach(i ->
                        own(steps.get(i)).stream().map(SessionAddress::local).forEach(sessions::granted));
            }
            return written.done();
        }

        /** Whether nobody else has to be told of a grant. */
        private boolean isUntold(Grant grant) {
            return answered.contains(grant.requestId()) || isOwn(grant.sessionId());
        }

        /** The grants to waiters of this process, who learn of them here. */
        private List<Grant> own(Step<T> step) {
            return step.grants().stream()
                    .filter(g -> !answered.contains(g.requestId()) && isOwn(g.sessionId()))
                    .toList();
        }
    }

    /** What there was no room for in the write before. */
    private void letMoreIn(String name) {
        try {
            run(name, From.MEMORY, (known, now) -> LockMachine.settle(known.state(), now, known.seed()));
        } catch (TenonException e) {
            // Others will: the write before was done, and that is the answer.
        }
    }

    private Optional<String> text(RegisterView before, RegisterView next, Instant now) {
        LockState state = next.state();
        if (state.isIdle() && before.mayForget(state.token())) {
            return Optional.empty();
        }
        String text = RegisterText.write(next, now);
        boolean grows = size(state) > size(before.state());
        if (grows && text.length() > TEXT_BYTES_MAX / 4 && bytes(text) > TEXT_BYTES_MAX) {
            throw new BackendUnavailableException("Lock \"" + state.name() + "\" has as many waiters as it may have: "
                    + state.queue().size() + " in " + bytes(text) + " bytes");
        }
        return Optional.of(text);
    }

    private static int size(LockState state) {
        return state.holders().size() + state.queue().size();
    }

    private static int bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** What other processes must know of a step. */
    private List<Notice> notices(RegisterView before, Step<?> step, Set<String> answered) {
        LockState next = step.state();
        List<Notice> notices = new ArrayList<>();
        step.grants().stream()
                .filter(g -> !answered.contains(g.requestId()) && !isOwn(g.sessionId()))
                .map(Notice::of)
                .forEach(notices::add);
        for (Holder h : next.holders()) {
            boolean asked = h.revokedBy().isPresent()
                    && before.state()
                            .holderUnder(h.token())
                            .filter(b -> b.revokedBy().equals(h.revokedBy()))
                            .isEmpty();
            if (asked && !isOwn(h.sessionId())) {
                notices.add(Notice.of(new Revocation(
                        next.name(), h.sessionId(), h.token(), h.revokedBy().orElseThrow())));
            }
        }
        // Who holds alone will write next, most likely; where many do, each would have to be told each time.
        Set<String> holders = next.holders().stream()
                .map(h -> SessionAddress.processOf(h.sessionId()))
                .collect(Collectors.toSet());
        holders.removeIf(presence.process()::equals);
        if (holders.size() == 1 && notices.stream().noneMatch(m -> holders.contains(m.process()))) {
            notices.add(Notice.changed(holders.iterator().next(), next.name()));
        }
        return notices;
    }

    private boolean covered(String address, Duration lease) {
        return isOwn(address) && presence.outlasts(lease);
    }

    private boolean isOwn(String address) {
        return SessionAddress.processOf(address).equals(presence.process());
    }

    /** After a lost race: lets others go first for a moment, by chance, the longer the more often this one has lost. */
    private void pause(int lost, long deadlineNanos) {
        if (deadlineNanos - time.nanoTime() < 0) {
            throw new BackendUnavailableException(
                    "Others changed the lock first, " + lost + " times within " + PATIENCE);
        }
        if (lost > LOST_WITHOUT_PAUSE) {
            int millisMax = Math.min(PAUSE_MAX_MILLIS, 1 << Math.min(lost - LOST_WITHOUT_PAUSE, 10));
            time.park(Duration.ofNanos(ThreadLocalRandom.current().nextLong(millisMax * 1_000_000L)));
        }
    }
}
