package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.LeaseLostException;
import dev.tenon.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWorkerIdTest {
    private static final IdLayout LAYOUT = IdLayout.twitter();
    private static final Duration RESERVED = Duration.ofMillis(3002);

    @TempDir
    private Path folder;

    private final JumpyClock clock = new JumpyClock(Instant.parse("2026-11-21T12:00:00Z"));
    private Path file;

    @BeforeEach
    void choose() {
        file = folder.resolve("worker-id");
    }

    private LeasedWorkerId open(int value) {
        return WorkerId.Builder.ofFile(file, LAYOUT, value)
                .owner("me")
                .time(clock)
                .unscheduled()
                .leased();
    }

    /** What a kill leaves behind: the file as it is, and no lock. The killed one's own lock goes with its process. */
    private LeasedWorkerId restartAfterKill() throws IOException {
        file = Files.copy(file, folder.resolve("worker-id-" + folder.toFile().list().length));
        return open(7);
    }

    private Instant fence() throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.startsWith("fence="))
                .map(line -> Instant.parse(line.substring("fence=".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void isMadeIfItDoesNotExistAndReservesTimeBeforeItIsUsed() throws IOException {
        try (WorkerId worker = open(7)) {
            SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
            IdParts parts = LAYOUT.decode(ids.nextId());
            assertThat(parts.workerId()).isEqualTo(7);
            assertThat(fence()).isEqualTo(clock.now().plus(RESERVED));
            assertThat(Files.readString(file)).contains("worker=7", LAYOUT.text(), "owner=me");
        }
    }

    @Test
    void aCloseGivesBackWhatWasNotUsedAndTheNextStartNeedNotWait() throws IOException {
        long last;
        try (WorkerId worker = open(7)) {
            last = SnowflakeGenerator.create(LAYOUT, worker).nextId();
        }
        assertThat(fence()).isEqualTo(LAYOUT.decode(last).time());
        try (WorkerId worker = open(7)) {
            clock.advance(Duration.ofMillis(1));
            assertThat(SnowflakeGenerator.create(LAYOUT, worker).nextId()).isGreaterThan(last);
        }
        assertThat(clock.parked()).isLessThan(Duration.ofMillis(5));
    }

    @Test
    void aStartAfterAKillWaitsUntilTheReservedTimeIsOver() throws IOException {
        long last = SnowflakeGenerator.create(LAYOUT, open(7)).nextId();
        try (WorkerId worker = restartAfterKill()) {
            assertThat(SnowflakeGenerator.create(LAYOUT, worker).nextId()).isGreaterThan(last);
        }
        assertThat(clock.parked()).isBetween(RESERVED, RESERVED.plusMillis(5));
    }

    @Test
    void startsThatAreKilledWhileTheyWaitMakeNobodyWaitLonger() throws IOException {
        long last = SnowflakeGenerator.create(LAYOUT, open(7)).nextId();
        Instant fence = fence();
        for (int kill = 0; kill < 5; kill++) {
            clock.killAtPark(kill == 0 ? 1 : kill % 2 + 1);
            assertThatThrownBy(this::restartAfterKill).hasMessage("killed");
            assertThat(fence()).isEqualTo(fence);
        }
        LeasedWorkerId worker = restartAfterKill();
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        long next = ids.nextId();
        assertThat(next).isGreaterThan(last);
        assertThat(LAYOUT.decode(next).time()).isAfter(fence).isBeforeOrEqualTo(fence());
        assertThat(clock.parked()).isBetween(RESERVED, RESERVED.plusMillis(5));
        assertThat(SnowflakeGenerator.create(LAYOUT, restartAfterKill()).nextId())
                .isGreaterThan(next);
    }

    @Test
    void aBurstThatBorrowedMuchIsRefusedAfterAKillAndTheMessageSaysUntilWhen() throws IOException {
        SnowflakeGenerator ids = SnowflakeGenerator.builder(LAYOUT, open(7))
                .borrow(Duration.ofSeconds(10))
                .build();
        long[] burst = new long[4096 * 6000];
        ids.fill(burst);
        assertThatThrownBy(this::restartAfterKill)
                .isInstanceOf(ClockMovedBackwardsException.class)
                .hasMessageContaining("borrow")
                .hasMessageContaining("start again after " + fence().minus(RESERVED));
        clock.advance(Duration.between(clock.now(), fence().minus(RESERVED)));
        assertThat(SnowflakeGenerator.create(LAYOUT, restartAfterKill()).nextId())
                .isGreaterThan(burst[burst.length - 1]);
    }

    @Test
    void aStartWithTheClockFurtherBackIsRefusedUntilItIsMended() throws IOException {
        long last = SnowflakeGenerator.create(LAYOUT, open(7)).nextId();
        Instant fence = fence();
        for (Duration back : List.of(Duration.ofSeconds(1), Duration.ofMinutes(1), Duration.ofDays(30_000))) {
            clock.step(back.negated());
            assertThatThrownBy(this::restartAfterKill)
                    .isInstanceOf(ClockMovedBackwardsException.class)
                    .hasMessageContaining(fence.toString())
                    .hasMessageContaining("mend the clock");
            assertThat(fence()).as("nothing was given away").isEqualTo(fence);
            clock.step(back);
        }
        clock.advance(RESERVED);
        assertThat(SnowflakeGenerator.create(LAYOUT, restartAfterKill()).nextId())
                .isGreaterThan(last);
    }

    /** Rule 3 through any order of kills, closes and clocks that were set, 0 to 60 s back or forth. */
    @Test
    void noIdIsRepeatedThroughKillsAndClocksSetBack() throws IOException {
        Random random = new Random(1);
        Set<Long> issued = new HashSet<>();
        LeasedWorkerId worker = open(7);
        int refused = 0;
        for (int restart = 0; restart < 40; restart++) {
            SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
            for (int i = 0; i < 50; i++) {
                try {
                    assertThat(issued.add(ids.nextId())).as("repeated").isTrue();
                } catch (ClockMovedBackwardsException e) {
                    refused++;
                }
                clock.advance(Duration.ofMillis(random.nextInt(40)));
                if (random.nextInt(50) == 0) {
                    clock.step(Duration.ofMillis(random.nextInt(4000) - 2000));
                }
                if (i % 25 == 0) {
                    worker.runOnce(); // reaches the disk, which is what this test's time goes into
                }
            }
            clock.step(Duration.ofMillis(random.nextInt(70_000) - 60_000));
            boolean kill = random.nextBoolean();
            if (!kill) {
                worker.close();
            }
            for (worker = null; worker == null; ) {
                try {
                    worker = kill ? restartAfterKill() : open(7);
                } catch (ClockMovedBackwardsException e) {
                    refused++;
                    clock.advance(Duration.ofSeconds(10));
                }
            }
        }
        assertThat(issued).hasSizeGreaterThan(1000);
        assertThat(refused).isPositive();
    }

    @Test
    void aClockSetBackWhileItRunsIsWaitedForOrRefusedAsThereIsNoSpare() {
        LeasedWorkerId worker = open(7);
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        long last = ids.nextId();
        clock.step(Duration.ofMillis(-500));
        clock.advance(Duration.ofMillis(2));
        long next = ids.nextId();
        assertThat(next).isGreaterThan(last);
        clock.step(Duration.ofHours(-1));
        clock.advance(Duration.ofMillis(2));
        assertThatThrownBy(ids::nextId).isInstanceOf(ClockMovedBackwardsException.class);
        clock.step(Duration.ofHours(1));
        clock.advance(Duration.ofMillis(2));
        assertThat(ids.nextId()).isGreaterThan(next);
    }

    @Test
    void whatIsInUseIsRefusedAndTheOneInUseGoesOn() throws IOException {
        try (WorkerId worker = open(7)) {
            SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> open(7))
                        .isInstanceOf(WorkerIdTakenException.class)
                        .hasMessageContaining("this process");
            }
            Path link = Files.createSymbolicLink(folder.resolve("other-way"), folder);
            assertThatThrownBy(() -> WorkerId.inFile(link.resolve("worker-id"), LAYOUT, 7))
                    .isInstanceOf(WorkerIdTakenException.class);
            ids.nextId();
        }
        open(7).close();
    }

    @Test
    void anotherNumberOrLayoutIsRefusedAndTheFileLeftAsItIs() throws IOException {
        open(7).close();
        String before = Files.readString(file);
        assertThatThrownBy(() -> open(8))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining("keeps worker ID 7")
                .hasMessageContaining("not 8");
        assertThatThrownBy(() -> WorkerId.inFile(file, IdLayout.sonyflake(), 7))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining(IdLayout.sonyflake().text());
        assertThatThrownBy(() -> WorkerId.inFile(file, LAYOUT, 1024)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> WorkerId.inFile(file, LAYOUT, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(Files.readString(file)).isEqualTo(before);
        open(7).close();
    }

    @Test
    void whateverByteIsDamagedItIsNoticedAndNothingIsIssued() throws IOException {
        open(7).close();
        byte[] good = Files.readAllBytes(file);
        for (int at = 0; at < good.length; at++) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(file, bad);
            assertThatThrownBy(() -> open(7)).as("byte " + at).isInstanceOf(IllegalStateException.class);
        }
        for (int length = 0; length < good.length; length++) {
            Files.write(file, Arrays.copyOf(good, length));
            assertThatThrownBy(() -> open(7))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("delete the file");
        }
        Files.write(file, new byte[100_000]);
        assertThatThrownBy(() -> open(7)).isInstanceOf(IllegalStateException.class);
        assertThat(Files.size(file)).as("left as it was").isEqualTo(100_000);
        Files.write(file, good);
        open(7).close();
    }

    @Test
    void aFileThatCannotBeWrittenLetsTheGeneratorGoOnAsFarAsTimeIsReserved() throws IOException {
        LeasedWorkerId worker = open(7);
        SnowflakeGenerator ids = SnowflakeGenerator.create(LAYOUT, worker);
        Path away = folder.resolve("away");
        Files.move(file, away);
        worker.runOnce();
        clock.advance(Duration.ofSeconds(2));
        ids.nextId();
        clock.advance(Duration.ofSeconds(1));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(LeaseLostException.class)
                .hasRootCauseInstanceOf(BackendUnavailableException.class)
                .rootCause()
                .hasMessageContaining("deleted or replaced");
        Files.move(away, file);
        clock.advance(Duration.ofSeconds(1));
        ids.nextId();
        Files.writeString(file, "rubbish");
        worker.close();
        assertThat(Files.readString(file)).isEqualTo("rubbish");
    }

    @Test
    void aFolderThatIsNotThereIsNamed() {
        file = folder.resolve("none").resolve("worker-id");
        assertThatThrownBy(() -> open(7))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void anUnfinishedReplacementIsNoHarm() throws IOException {
        open(7).close();
        Files.writeString(folder.resolve("worker-id.tmp"), "half a f");
        open(7).close();
    }

    @Test
    void aLongOwnerInAnyScriptFits() throws IOException {
        try (WorkerId worker = WorkerId.Builder.ofFile(file, LAYOUT, 7)
                .owner("漢".repeat(200))
                .time(TimeSource.system())
                .leased()) {
            assertThat(worker.value()).isEqualTo(7);
        }
        open(7).close();
    }
}
