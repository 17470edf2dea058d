package dev.tenon.server;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.server.backend.ServerBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The worker IDs of a store that may forget who holds them, by a clock of the test. */
final class ForgetfulWorkerIds {
    volatile WorkerTable table = new WorkerTable();
    volatile String incarnation = "first";
    volatile Instant now = Instant.now();
    /** Whether it does not answer, and the lease of before is over. */
    volatile boolean down;

    void forget() {
        table = new WorkerTable();
        incarnation = "second";
    }

    WorkerIdSource group(String group) {
        return new WorkerIdSource() {
            @Override
            public WorkerSlot claim(WorkerClaim claim) {
                if (down) {
                    throw new BackendUnavailableException("down");
                }
                return table.claim(group, claim, incarnation, now).orThrow(group);
            }

            @Override
            public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
                return !down && table.renew(group, slot, lease, fence, now);
            }

            @Override
            public void release(WorkerSlot slot, Instant lastUsed) {
                table.release(group, slot, lastUsed, now);
            }

            @Override
            public List<WorkerSlotView> census() {
                return table.census(group, now);
            }
        };
    }

    /** A store in memory that has these worker IDs. */
    ServerBackend backend() {
        ServerBackend memory = new MemoryServerBackend();
        return (ServerBackend) Proxy.newProxyInstance(
                ForgetfulWorkerIds.class.getClassLoader(),
                new Class<?>[] {ServerBackend.class},
                (proxy, method, given) -> {
                    if (method.getReturnType() == WorkerIdSource.class) {
                        return group((String) given[0]);
                    }
                    try {
                        return method.invoke(memory, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
