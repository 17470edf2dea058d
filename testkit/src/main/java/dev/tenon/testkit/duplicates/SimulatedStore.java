package dev.tenon.testkit.duplicates;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** The one store that all processes of a hunt share. Its clock is right, and it fails on demand. */
final class SimulatedStore {
    private final SimulatedTime time;
    private final ReentrantLock lock = new ReentrantLock();
    private RangeTable ranges = new RangeTable();
    private WorkerTable workers = new WorkerTable();
    private List<RangeTable.Entry> savedRanges = List.of();
    private List<WorkerTable.Group> savedWorkers = List.of();
    private int failing;
    private int starts;
    private boolean losing;

    SimulatedStore(SimulatedTime time) {
        this.time = time;
    }

    void failNext(int calls) {
        failing = calls;
    }

    void loseNextReply() {
        losing = true;
    }

    void save() {
        locked(() -> {
            savedRanges = ranges.export();
            savedWorkers = workers.export();
        });
    }

    void rollBack() {
        locked(() -> {
            ranges = RangeTable.of(savedRanges);
            workers = WorkerTable.of(savedWorkers);
            starts++;
        });
    }

    /** Ends every lease without a word to its holder. */
    void stealLeases() {
        locked(() -> {
            for (WorkerTable.Group group : workers.export()) {
                for (WorkerTable.Entry entry : group.entries()) {
                    WorkerSlot slot = new WorkerSlot(entry.workerId(), entry.claim(), entry.floor(), entry.fence());
                    workers.release(group.name(), slot, entry.fence(), time.now());
                }
            }
        });
    }

    RangeStore ranges() {
        return new Ranges();
    }

    WorkerIdSource workerIds(String group) {
        return new Workers(group);
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private <T> T call(Supplier<T> call) {
        lock.lock();
        try {
            if (failing > 0) {
                failing--;
                throw new BackendUnavailableException("The store is down (a fault of the hunt)");
            }
            T reply = call.get();
            if (losing) {
                losing = false;
                throw new OutcomeUnknownException("The store's reply was lost (a fault of the hunt)");
            }
            return reply;
        } finally {
            lock.unlock();
        }
    }

    private final class Ranges implements RangeStore {
        @Override
        public IdRange next(String name, long count) {
            return call(() -> ranges.next(name, count));
        }

        @Override
        public void define(String name, RangeDefinition definition) {
            call(() -> {
                ranges.define(name, definition);
                return true;
            });
        }

        @Override
        public Optional<RangeDefinition> definition(String name) {
            return call(() -> ranges.definition(name));
        }

        @Override
        public long raiseTo(String name, long floor) {
            return call(() -> ranges.raiseTo(name, floor));
        }
    }

    private final class Workers implements WorkerIdSource {
        private final String group;

        private Workers(String group) {
            this.group = group;
        }

        @Override
        public WorkerSlot claim(WorkerClaim claim) {
            return call(() -> workers.claim(group, claim, "start " + starts, time.now()))
                    .orThrow(group);
        }

        @Override
        public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
            return call(() -> workers.renew(group, slot, lease, fence, time.now()));
        }

        @Override
        public void release(WorkerSlot slot, Instant lastUsed) {
            call(() -> {
                workers.release(group, slot, lastUsed, time.now());
                return true;
            });
        }

        @Override
        public List<WorkerSlotView> census() {
            return call(() -> workers.census(group, time.now()));
        }
    }
}
