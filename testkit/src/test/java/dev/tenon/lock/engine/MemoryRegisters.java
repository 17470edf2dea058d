package dev.tenon.lock.engine;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Registers in memory that several processes of a test share, with the faults that a test orders: the least that a
 * store of registers can be, to test what stands on one without a server. Thread-safe.
 */
final class MemoryRegisters {
    private final ReentrantLock mutex = new ReentrantLock();
    private final TreeMap<String, Register> registers = new TreeMap<>(Names.ORDER);
    private final Map<String, RegisterEvents> present = new ConcurrentHashMap<>();
    private final boolean tellsState;
    private long revision;

    /** @param tellsState whether a notice comes with the register as its write has left it */
    MemoryRegisters(boolean tellsState) {
        this.tellsState = tellsState;
    }

    /** The registers as one process has them. */
    Process process() {
        return new Process();
    }

    /** How many there are. */
    int size() {
        return within(registers::size);
    }

    /** The register of a name, if there is one. */
    Optional<Register> find(String name) {
        return within(() -> Optional.ofNullable(registers.get(name)));
    }

    /** The end of a process: nothing of it is cleaned up, and all others are told. */
    void end(String process) {
        present.remove(process);
        tellGone(process);
    }

    /** Word of an end, which may come so late that the process is back. */
    void tellGone(String process) {
        present.values().forEach(events -> events.gone(process));
    }

    private <T> T within(Supplier<T> work) {
        mutex.lock();
        try {
            return work.get();
        } finally {
            mutex.unlock();
        }
    }

    private Register now(String name) {
        return registers.getOrDefault(name, Register.absent(name));
    }

    // tag::write[]
    private RegisterStore.Written apply(List<RegisterStore.Change> changes, List<Notice> notices, List<Runnable> told) {
        List<Register> now = changes.stream().map(c -> now(c.seen().name())).toList();
        for (int i = 0; i < changes.size(); i++) {
            if (now.get(i).version() != changes.get(i).seen().version()) {
                return new RegisterStore.Written(false, now);
            }
        }
        revision++;
        for (RegisterStore.Change change : changes) {
            String name = change.seen().name();
            Register before = now(name);
            registers.remove(name);
            change.next()
                    .ifPresent(text -> registers.put(
                            name,
                            new Register(
                                    name,
                                    Optional.of(text),
                                    revision,
                                    before.version() == 0 ? revision : before.created(),
                                    revision)));
        }
        for (Notice each : notices) {
            Optional<Register> state = tellsState ? Optional.of(now(each.name())) : Optional.empty();
            told.add(() -> Optional.ofNullable(present.get(each.process()))
                    .ifPresent(events -> events.noticed(each, state.filter(register -> register.version() > 0))));
        }
        return new RegisterStore.Written(
                true, changes.stream().map(c -> now(c.seen().name())).toList());
    }
    // end::write[]

    /** What one process has of the registers. */
    final class Process implements RegisterStore {
        /** How often it was read. */
        final AtomicInteger reads = new AtomicInteger();
        /** How often it was tried to write. */
        final AtomicInteger writes = new AtomicInteger();
        /** How often it was asked who is present. */
        final AtomicInteger questions = new AtomicInteger();
        /** The most notices of one write. */
        final AtomicInteger noticesMax = new AtomicInteger();
        /** Runs before the next write, once: what another does meanwhile. */
        final AtomicReference<Runnable> beforeWrite = new AtomicReference<>(() -> {});
        /** What becomes of a write: 0: it is answered; 1: its answer is lost; 2: it is not done, and that is said. */
        volatile Supplier<Integer> fate = () -> 0;

        /** What this process called itself when it entered. */
        volatile String id = "";

        /** Whether nothing comes through that keeps this process present. */
        volatile boolean away;

        private Process() {}

        @Override
        public List<Register> read(List<String> names) {
            reads.incrementAndGet();
            return within(() -> names.stream().map(MemoryRegisters.this::now).toList());
        }

        @Override
        public Written write(List<Change> changes, List<Notice> notices) {
            writes.incrementAndGet();
            noticesMax.accumulateAndGet(notices.size(), Math::max);
            beforeWrite.getAndSet(() -> {}).run();
            int how = fate.get();
            if (how == 2) {
                throw new BackendUnavailableException("not sent");
            }
            List<Runnable> told = new ArrayList<>();
            Written written = within(() -> apply(changes, notices, told));
            told.forEach(Runnable::run);
            if (how == 1) {
                throw new OutcomeUnknownException("answer lost");
            }
            return written;
        }

        @Override
        public List<Register> page(String prefix, String after, int limit) {
            return within(() -> registers.tailMap(after, false).values().stream()
                    .filter(register -> register.name().startsWith(prefix))
                    .limit(limit)
                    .toList());
        }

        @Override
        public Duration enter(String process, Duration ttl, RegisterEvents events) {
            id = process;
            away = false;
            present.put(process, events);
            return ttl;
        }

        @Override
        public Optional<Duration> keepAlive(String process) {
            if (away) {
                throw new BackendUnavailableException("away");
            }
            return present.containsKey(process) ? Optional.of(RegisterLockStore.PRESENCE) : Optional.empty();
        }

        @Override
        public void leave(String process) {
            end(process);
        }

        @Override
        public Set<String> gone(Set<String> processes) {
            questions.incrementAndGet();
            Set<String> gone = new HashSet<>(processes);
            gone.removeAll(present.keySet());
            return gone;
        }

        @Override
        public void close() {}
    }
}
