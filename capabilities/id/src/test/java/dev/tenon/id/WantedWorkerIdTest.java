package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WantedWorkerIdTest {
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final IdLayout LAYOUT = IdLayout.twitter();

    @TempDir
    private Path folder;

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private final TableWorkerIds store = new TableWorkerIds(clock);

    private WorkerId.Builder builder() {
        return WorkerId.builder(store, LAYOUT)
                .owner("me")
                .leaseTime(LEASE)
                .time(clock)
                .unscheduled();
    }

    private LeasedWorkerId wanted(int value) {
        return builder().wanted(value).leased();
    }

    private LeasedWorkerId remembered() {
        return builder().rememberIn(folder.resolve("number")).leased();
    }

    @Test
    void aSecondProcessWithTheSameNumberIsRefusedAtItsStart() {
        WorkerId first = wanted(77);
        assertThat(LAYOUT.decode(SnowflakeGenerator.create(LAYOUT, first).nextId())
                        .workerId())
                .isEqualTo(77);
        assertThatThrownBy(() -> wanted(77))
                .isInstanceOf(WorkerIdTakenException.class)
                .hasMessageContaining("77 by me since 2026-11-21T12:00:00Z")
                .hasMessageContaining("30.0 s of lease left");
        first.close();
        wanted(77).close();
    }

    @Test
    void aNumberThatTheLayoutDoesNotHaveIsRefused() {
        for (int bad : new int[] {-1, 1024}) {
            assertThatThrownBy(() -> builder().wanted(bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("0 and 1023");
        }
    }

    @Test
    void aStolenOneStopsTheGeneratorUntilItCanBeHadAgain() {
        LeasedWorkerId victim = wanted(5);
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, victim);
        long last = ids.nextId();
        store.steal(5);
        WorkerClaim theft = new WorkerClaim("r", "thief", LAYOUT.text(), 1024, LEASE, clock.now(), LEASE)
                .inNewStore()
                .wanting(5);
        WorkerSlot stolen = store.claim(theft);
        victim.runOnce();
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasCauseInstanceOf(WorkerIdTakenException.class);
        store.release(stolen, clock.now());
        clock.advance(LEASE);
        assertThat(ids.nextId()).isGreaterThan(last);
        assertThat(victim.value()).isEqualTo(5);
    }

    @Test
    void aClockSetBackFindsNoSpare() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, wanted(5));
        long last = ids.nextId();
        clock.step(Duration.ofMinutes(-10));
        clock.advance(Duration.ofMillis(2));
        int calls = store.calls();
        assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        assertThat(store.calls()).isEqualTo(calls);
        clock.step(Duration.ofMinutes(10));
        clock.advance(Duration.ofMillis(2));
        assertThat(ids.nextId()).isGreaterThan(last);
    }

    @Test
    void aStartWithTheClockSetBackWaitsForALittleAndRefusesMuch() {
        WorkerId before = wanted(5);
        long last = SnowflakeGenerator.create(LAYOUT, before).nextId();
        before.close();
        clock.step(Duration.ofMinutes(-1));
        assertThatThrownBy(() -> wanted(5))
                .isInstanceOf(ClockMovedBackwardsException.class)
                .hasMessageContaining("mend the clock");
        assertThat(store.leased(5)).as("given back").isFalse();
        clock.step(Duration.ofSeconds(40));
        WorkerId after = wanted(5);
        assertThat(clock.parked()).isGreaterThan(Duration.ofSeconds(19));
        assertThat(store.census().get(0).leaseLeft()).as("renewed in the wait").isGreaterThan(LEASE.dividedBy(2));
        assertThat(SnowflakeGenerator.create(LAYOUT, after).nextId()).isGreaterThan(last);
    }

    @Test
    void theRememberedOneIsAskedForAgain() {
        LeasedWorkerId other = wanted(0);
        LeasedWorkerId first = remembered();
        assertThat(first.value()).isEqualTo(1);
        first.close();
        other.close();
        assertThat(remembered().value()).as("0 is free too").isEqualTo(1);
    }

    @Test
    void ifTheRememberedOneIsTakenAnyOtherWillDoAndIsRemembered() {
        LeasedWorkerId first = remembered();
        assertThat(first.value()).isZero();
        first.close();
        LeasedWorkerId other = wanted(0);
        LeasedWorkerId second = remembered();
        assertThat(second.value()).isEqualTo(1);
        second.close();
        other.close();
        assertThat(remembered().value()).isEqualTo(1);
    }

    @Test
    void aRememberedOneHasASpareForAClockSetBack() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, remembered());
        ids.nextId();
        clock.step(Duration.ofMinutes(-10));
        clock.advance(Duration.ofMillis(2));
        assertThat(LAYOUT.decode(ids.nextId()).workerId()).isEqualTo(1);
        assertThat(clock.parked()).isZero();
    }

    @Test
    void withoutTheStoreThereIsNoStartWhateverTheFileRemembers() {
        remembered().close();
        store.failWith(() -> new BackendUnavailableException("away"));
        assertThatThrownBy(this::remembered).isInstanceOf(BackendUnavailableException.class);
        store.failWith(null);
        assertThat(remembered().value()).as("and the file is free again").isZero();
    }

    @Test
    void aFileOfAnotherKindIsRefusedEitherWay() throws IOException {
        remembered().close();
        assertThatThrownBy(() -> WorkerId.inFile(folder.resolve("number"), LAYOUT, 0))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining("no time fence");
        WorkerId.inFile(folder.resolve("kept"), LAYOUT, 0).close();
        assertThatThrownBy(() -> builder().rememberIn(folder.resolve("kept")).leased())
                .isInstanceOf(DefinitionConflictException.class);
        Files.writeString(folder.resolve("number"), "rubbish");
        assertThatThrownBy(this::remembered).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() ->
                        builder().wanted(1).rememberIn(folder.resolve("x")).leased())
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(store.census())
                .as("nothing stays leased")
                .allMatch(view -> view.leaseLeft().isZero());
    }

    @Test
    void twoProcessesDoNotShareAFile() {
        remembered();
        assertThatThrownBy(this::remembered).isInstanceOf(WorkerIdTakenException.class);
    }

    @Test
    void theCensusSaysWhoHoldsWhatAndHowManyAreFree() {
        wanted(3);
        LeasedWorkerId gone = wanted(900);
        clock.advance(Duration.ofSeconds(10));
        gone.close();
        WorkerCensus census = WorkerCensus.of(store, LAYOUT);
        assertThat(census.capacity()).isEqualTo(1024);
        assertThat(census.leased()).isEqualTo(1);
        assertThat(census.free()).isEqualTo(1023);
        assertThat(census.toString())
                .isEqualTo(
                        "1 of 1024 worker IDs leased, 1023 free"
                                + "\n3 by me since 2026-11-21T12:00:00Z, 20.0 s of lease left, time reserved up to"
                                + " 2026-11-21T12:00:30.002Z"
                                + "\n900 free, last by me since 2026-11-21T12:00:00Z, time reserved up to 1970-01-01T00:00:00Z");
    }
}
