package dev.tenon.server.metered;

import dev.tenon.ManualClock;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.observe.Metrics;
import dev.tenon.testkit.WorkerIdSourceContract;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AfterEach;

class MeteredWorkerIdSourceTest extends WorkerIdSourceContract {
    private final ManualClock clock = new ManualClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private final MemoryBackend memory = MemoryBackend.on(clock);
    private final Metrics metrics = new Metrics();
    private final WorkerIdCounters counters = new WorkerIdCounters(metrics);

    @Override
    protected boolean mayForget() {
        return false;
    }

    @Override
    protected WorkerIdSource source(String group) {
        return new MeteredWorkerIdSource(memory.workerIds(group), Timed.part("workers"), counters);
    }

    @Override
    protected void awaitEnd(WorkerIdSource source, int workerId) {
        clock.advance(shortLease().plusMillis(1)); // the end of a lease is rounded up
    }

    @AfterEach
    void close() {
        memory.close();
        metrics.close();
    }
}
