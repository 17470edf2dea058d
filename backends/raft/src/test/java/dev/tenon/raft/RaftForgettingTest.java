package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.tenon.ManualClock;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that is alone can't know whether it was started on an older copy of its folder; so each start counts as one.
 */
class RaftForgettingTest {
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

    private final ManualClock clock = new ManualClock(START);

    @TempDir
    private Path parent;

    private RaftBackend backend;

    @BeforeEach
    void open() {
        backend = RaftBackend.open(parent.resolve("data"), RaftOptions.DEFAULT.withTime(clock));
    }

    @AfterEach
    void close() {
        backend.close();
    }

    private void restart() {
        backend.close();
        open();
    }

    private void restartEmpty(String folder) {
        backend.close();
        backend = RaftBackend.open(parent.resolve(folder), RaftOptions.DEFAULT.withTime(clock));
    }

    private WorkerIdSource others() {
        return backend.workerIds("orders");
    }

    private WorkerIdSource own() {
        return backend.ownWorkerIds("orders");
    }

    private WorkerClaim claim(String request) {
        return new WorkerClaim(request, "me", "layout", 16, LEASE, clock.now(), LEASE);
    }

    private Duration refusal(WorkerClaim claim) {
        return catchThrowableOfType(WorkerIdsForgottenException.class, () -> others().claim(claim))
                .retryAfter();
    }

    @Test
    void afterARestartHoldersTellOfTheirsAndOthersWaitForALease() {
        WorkerSlot slot = others().claim(claim("r1").inNewStore());
        restart();
        assertThat(others().renew(slot, LEASE, clock.now().plus(LEASE))).isFalse();
        WorkerSlot kept = others().claim(claim("r2").keeping(slot.workerId(), slot.claim()));
        assertThat(kept.claim()).isEqualTo(slot.claim());
        assertThat(others().renew(slot, LEASE, clock.now().plus(LEASE))).isTrue();
        assertThat(refusal(claim("r3"))).isEqualTo(LEASE);

        clock.advance(Duration.ofSeconds(59));
        restartKeepsTheWaitOnlyOnce();
    }

    private void restartKeepsTheWaitOnlyOnce() {
        assertThat(refusal(claim("r3"))).isEqualTo(Duration.ofSeconds(1));
        clock.advance(Duration.ofSeconds(1));
        assertThat(others().claim(claim("r3")).workerId()).isEqualTo(1);
        restart();
        assertThat(refusal(claim("r4"))).as("another start").isEqualTo(LEASE);
    }

    @Test
    void aRefusalIsInTheLog() {
        others().claim(claim("r1").inNewStore());
        restart();
        refusal(claim("r2"));
        clock.advance(Duration.ofSeconds(20));
        assertThat(refusal(claim("r2"))).isEqualTo(Duration.ofSeconds(40));
        assertThat(backend.backup().join()).isNotEmpty();
        assertThat(refusal(claim("r2"))).isEqualTo(Duration.ofSeconds(40));
    }

    @Test
    void anEmptiedFolderIsToldOfWhatIsHeld() {
        others().claim(claim("r0").inNewStore());
        WorkerSlot slot = others().claim(claim("r1"));
        restartEmpty("empty");
        assertThat(refusal(claim("r2"))).isEqualTo(LEASE);
        WorkerSlot kept = others().claim(claim("r3").keeping(slot.workerId(), slot.claim()));
        assertThat(kept.workerId()).isEqualTo(1);
        assertThat(kept.claim()).isGreaterThan(slot.claim());
        assertThatThrownBy(() -> others().claim(claim("r4").keeping(slot.workerId(), slot.claim())))
                .isInstanceOf(WorkerIdTakenException.class);
        clock.advance(LEASE);
        assertThat(others().claim(claim("r5")).workerId()).isZero();
    }

    @Test
    void theNodesOwnGeneratorsNeverWaitAndKeepOutOfTheWay() {
        WorkerSlot first = own().claim(claim("own1"));
        assertThat(first.workerId()).isEqualTo(15);
        assertThat(own().renew(first, LEASE, clock.now().plus(LEASE))).isTrue();
        WorkerSlot other = others().claim(claim("r1").inNewStore());
        assertThat(other.workerId()).as("nobody but this node was here").isZero();
        restart();
        assertThat(own().claim(claim("own2")).workerId()).isEqualTo(14);
        assertThat(refusal(claim("r2"))).isEqualTo(LEASE);
        WorkerSlot third = own().claim(claim("own3"));
        assertThat(third.workerId()).isEqualTo(13);
        assertThat(own().renew(third, LEASE, clock.now().plus(LEASE))).isTrue();
        clock.advance(LEASE.multipliedBy(3));
        assertThat(own().claim(claim("own4")).workerId()).as("all is known").isZero();
    }

    @Test
    void inAnEmptiedFolderTheNodesOwnGetNothingThatIsHeld() {
        WorkerSlot held = others().claim(claim("r1").inNewStore());
        restartEmpty("empty");
        assertThat(own().claim(claim("own")).workerId()).isEqualTo(15);
        assertThat(refusal(claim("r2"))).isEqualTo(LEASE);
        assertThat(others().claim(claim("r3").keeping(held.workerId(), held.claim()))
                        .workerId())
                .isEqualTo(held.workerId());
    }

    @Test
    void ofOneWorkerIdTheNodesOwnWaitAsOthersDo() {
        WorkerClaim only = new WorkerClaim("own", "me", "layout", 1, LEASE, clock.now(), LEASE);
        assertThatThrownBy(() -> own().claim(only)).isInstanceOf(WorkerIdsForgottenException.class);
        clock.advance(LEASE);
        assertThat(own().claim(only).workerId()).isZero();
    }
}
