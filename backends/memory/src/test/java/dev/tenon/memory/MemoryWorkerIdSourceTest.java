package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.testkit.WorkerIdSourceContract;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class MemoryWorkerIdSourceTest extends WorkerIdSourceContract {
    private final ManualClock clock = new ManualClock(Instant.now().truncatedTo(ChronoUnit.MILLIS));
    private final MemoryWorkerIds workerIds = new MemoryWorkerIds(new WorkerTable(), clock);

    @Override
    protected boolean mayForget() {
        return false;
    }

    @Override
    protected WorkerIdSource source(String group) {
        return workerIds.group(group);
    }

    @Override
    protected void awaitEnd(WorkerIdSource source, int workerId) {
        clock.advance(shortLease().plusMillis(1)); // the end of a lease is rounded up
    }

    @Test
    void settingTheMachinesClockNeitherEndsNorStretchesALease() {
        WorkerIdSource source = workerIds.group("g");
        Duration lease = Duration.ofSeconds(30);
        Instant now = clock.now();
        WorkerSlot slot = source.claim(new WorkerClaim("r", "me", "layout", 1, lease, now, lease).inNewStore());

        clock.setWall(now.plus(Duration.ofDays(9)));
        assertThat(source.census().get(0).leaseLeft()).isEqualTo(lease);
        clock.setWall(now.minus(Duration.ofDays(9)));
        clock.advance(lease);
        assertThat(source.renew(slot, lease, now)).isFalse();
    }
}
