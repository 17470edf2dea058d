package dev.tenon.lock.spi.cell;

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

/** Cells in memory that several processes of a test share, with the faults that a test orders. Thread-safe. */
final class MemoryCells {
    private final ReentrantLock mutex = new ReentrantLock();
    private final TreeMap<String, Cell> cells = new TreeMap<>(Names.ORDER);
    private final Map<String, CellEvents> present = new ConcurrentHashMap<>();
    private final boolean tellsState;
    private long revision;

    /** @param tellsState whether a mail comes with the cell as its write has left it */
    MemoryCells(boolean tellsState) {
        this.tellsState = tellsState;
    }

    /** The cells as one process has them. */
    Line line() {
        return new Line();
    }

    int size() {
        return within(cells::size);
    }

    Optional<Cell> find(String name) {
        return within(() -> Optional.ofNullable(cells.get(name)));
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

    private Cell now(String name) {
        return cells.getOrDefault(name, Cell.absent(name));
    }

    private LockCells.Written apply(List<LockCells.Change> changes, List<Mail> mail, List<Runnable> told) {
        List<Cell> now = changes.stream().map(c -> now(c.seen().name())).toList();
        for (int i = 0; i < changes.size(); i++) {
            if (now.get(i).version() != changes.get(i).seen().version()) {
                return new LockCells.Written(false, now);
            }
        }
        revision++;
        for (LockCells.Change change : changes) {
            String name = change.seen().name();
            Cell before = now(name);
            cells.remove(name);
            change.next()
                    .ifPresent(text -> cells.put(
                            name,
                            new Cell(
                                    name,
                                    Optional.of(text),
                                    revision,
                                    before.version() == 0 ? revision : before.created(),
                                    revision)));
        }
        for (Mail each : mail) {
            Optional<Cell> state = tellsState ? Optional.of(now(each.name())) : Optional.empty();
            told.add(() -> Optional.ofNullable(present.get(each.process()))
                    .ifPresent(events -> events.mail(each, state.filter(cell -> cell.version() > 0))));
        }
        return new LockCells.Written(
                true, changes.stream().map(c -> now(c.seen().name())).toList());
    }

    /** What one process has of the cells. */
    final class Line implements LockCells {
        final AtomicInteger reads = new AtomicInteger();
        final AtomicInteger writes = new AtomicInteger();
        final AtomicInteger questions = new AtomicInteger();
        /** The most mail of one write. */
        final AtomicInteger mailMax = new AtomicInteger();
        /** Runs before the next write, once: what another does meanwhile. */
        final AtomicReference<Runnable> beforeWrite = new AtomicReference<>(() -> {});
        /** What becomes of a write: 0: it is answered; 1: its answer is lost; 2: it is not done, and that is said. */
        volatile Supplier<Integer> fate = () -> 0;

        volatile String process = "";
        volatile boolean away;

        @Override
        public List<Cell> read(List<String> names) {
            reads.incrementAndGet();
            return within(() -> names.stream().map(MemoryCells.this::now).toList());
        }

        @Override
        public Written write(List<Change> changes, List<Mail> mail) {
            writes.incrementAndGet();
            mailMax.accumulateAndGet(mail.size(), Math::max);
            beforeWrite.getAndSet(() -> {}).run();
            int how = fate.get();
            if (how == 2) {
                throw new BackendUnavailableException("not sent");
            }
            List<Runnable> told = new ArrayList<>();
            Written written = within(() -> apply(changes, mail, told));
            told.forEach(Runnable::run);
            if (how == 1) {
                throw new OutcomeUnknownException("answer lost");
            }
            return written;
        }

        @Override
        public List<Cell> page(String prefix, String after, int limit) {
            return within(() -> cells.tailMap(after, false).values().stream()
                    .filter(cell -> cell.name().startsWith(prefix))
                    .limit(limit)
                    .toList());
        }

        @Override
        public Duration enter(String id, Duration ttl, CellEvents events) {
            process = id;
            away = false;
            present.put(id, events);
            return ttl;
        }

        @Override
        public Optional<Duration> keepAlive(String id) {
            if (away) {
                throw new BackendUnavailableException("away");
            }
            return present.containsKey(id) ? Optional.of(CellLocks.PRESENCE) : Optional.empty();
        }

        @Override
        public void leave(String id) {
            end(id);
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
