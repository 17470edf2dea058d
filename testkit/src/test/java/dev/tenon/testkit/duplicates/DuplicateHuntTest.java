package dev.tenon.testkit.duplicates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.IdLayout;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DuplicateHuntTest {
    private static final IdLayout LAYOUT = IdLayout.twitter();
    /** Segments are fetched by a thread of their own, in real time: a call in an outage must not wait for long. */
    private static final SegmentPolicy IMPATIENT = SegmentPolicy.ofStep(100).withWaitMax(Duration.ofMillis(1));

    private static final SegmentPolicy PATIENT = SegmentPolicy.ofStep(100);

    private static Supplier<?> leased(SimulatedProcess process) {
        WorkerId worker = WorkerId.builder(process.workerIds("orders"), LAYOUT)
                .time(process.time())
                .lease();
        process.onClose(worker);
        return SnowflakeGenerator.create(LAYOUT, worker)::nextId;
    }

    private static Supplier<?> fixed(SimulatedProcess process) {
        WorkerId worker = WorkerId.fixed(process.index(), process.time());
        process.onClose(worker);
        return SnowflakeGenerator.create(LAYOUT, worker)::nextId;
    }

    private static Supplier<?> segment(SimulatedProcess process, SegmentPolicy policy) {
        SegmentGenerator ids = SegmentGenerator.create(process.ranges(), "orders", policy);
        process.onClose(ids);
        return ids::nextId;
    }

    private static Supplier<?> shuffled(SimulatedProcess process, SegmentPolicy policy) {
        ShuffledSegmentGenerator ids = ShuffledSegmentGenerator.create(process.ranges(), "orders", policy);
        process.onClose(ids);
        return ids::nextId;
    }

    private static Supplier<?> sequence(SimulatedProcess process) {
        return SequenceGenerator.create(process.ranges(), "orders")::nextId;
    }

    /** Takes ranges and trusts them. */
    private static Supplier<?> trusting(SimulatedProcess process) {
        AtomicLong next = new AtomicLong();
        AtomicLong end = new AtomicLong();
        return () -> {
            if (next.get() == end.get()) {
                IdRange range = process.ranges().next("orders", 100);
                next.set(range.first());
                end.set(range.first() + range.count());
            }
            return next.getAndIncrement();
        };
    }

    @Test
    void findsATextbookGeneratorWhoseClockIsSetBack() {
        DuplicateReport report = DuplicateHunt.in(
                        process -> new TextbookSnowflake(process.clock()::millis, process.index())::next)
                .faults(Fault.CLOCK_BACK)
                .run();

        assertThat(report.duplicates()).isNotEmpty();
        assertThat(report.duplicates().get(0).toString()).contains("set back by", "Again with seed(");
    }

    @Test
    void findsAGeneratorThatForgetsAcrossARestartWhatItRefusesWhileItRuns() {
        DuplicateHunt hunt = DuplicateHunt.in(
                process -> new TextbookSnowflake(process.clock()::millis, process.index())::nextOrRefuse);

        hunt.faults(Fault.CLOCK_BACK).assertNoDuplicates();
        assertThat(hunt.faults(Fault.KILL_AND_CLOCK_BACK).run().duplicates()).isNotEmpty();
    }

    @Test
    void findsTwoProcessesWithOneWorkerId() {
        DuplicateHunt.Generator same = process -> new TextbookSnowflake(process.clock()::millis, 1)::nextOrRefuse;

        assertThat(DuplicateHunt.in(same).faults().run().duplicates()).isNotEmpty();
    }

    @Test
    void findsASegmentGeneratorThatTrustsARolledBackStore() {
        DuplicateHunt hunt = DuplicateHunt.in(DuplicateHuntTest::trusting).processes(1);

        hunt.assertNoDuplicates();
        assertThat(hunt.faults(Fault.STORE_ROLLED_BACK).run().duplicates()).isNotEmpty();
    }

    @Test
    void aDuplicateIsFoundAgainWithItsSeed() {
        DuplicateHunt hunt = DuplicateHunt.in(
                        process -> new TextbookSnowflake(process.clock()::millis, process.index())::next)
                .faults(Fault.CLOCK_BACK);
        DuplicateReport.Duplicate found = hunt.run().duplicates().get(0);

        assertThat(hunt.seed(found.seed()).runs(1).run().duplicates().get(0)).isEqualTo(found);
        assertThatThrownBy(hunt::assertNoDuplicates)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("seed(" + found.seed() + ")");
    }

    @Test
    void aHuntInWhichNothingWasIssuedFails() {
        DuplicateHunt.Generator broken = process -> {
            throw new IllegalStateException("no");
        };

        assertThatThrownBy(() -> DuplicateHunt.in(broken).assertNoDuplicates()).hasMessageContaining("0 IDs");
    }

    @Test
    void aLeasedSnowflakeSurvivesEveryUsualFault() {
        DuplicateReport report =
                DuplicateHunt.in(DuplicateHuntTest::leased).runs(100).assertNoDuplicates();

        assertThat(report.faults().keySet()).isEqualTo(Fault.usual());
        assertThat(report.issued()).isGreaterThan(100_000);
    }

    /** With clocks that go right: what the store forgets as well is how far the clocks of those before had gone. */
    @Test
    void aLeasedSnowflakeSurvivesAStoreThatForgets() {
        for (Fault other : List.of(Fault.RESTART, Fault.STORE_DOWN, Fault.REPLY_LOST, Fault.LEASE_STOLEN)) {
            DuplicateReport report = DuplicateHunt.in(DuplicateHuntTest::leased)
                    .faults(Fault.STORE_ROLLED_BACK, Fault.KILL, other)
                    .runs(Integer.getInteger("tenon.hunt.runs", 20))
                    .assertNoDuplicates();
            assertThat(report.issued()).isGreaterThan(10_000);
        }
    }

    @Test
    void aFixedSnowflakeSurvivesClocksAndRestartsButNotBothAtOnce() {
        DuplicateHunt hunt = DuplicateHunt.in(DuplicateHuntTest::fixed);

        hunt.faults(Fault.CLOCK_BACK, Fault.CLOCK_FORWARD).assertNoDuplicates();
        hunt.faults(Fault.KILL, Fault.RESTART).assertNoDuplicates();
        assertThat(hunt.faults(Fault.KILL_AND_CLOCK_BACK).run().duplicates()).isNotEmpty();
    }

    @Test
    void segmentsAndSequencesSurviveEveryUsualFault() {
        DuplicateHunt.in(process -> segment(process, IMPATIENT)).runs(6).assertNoDuplicates();
        DuplicateHunt.in(process -> shuffled(process, IMPATIENT)).runs(6).assertNoDuplicates();
        DuplicateHunt.in(DuplicateHuntTest::sequence).assertNoDuplicates();
    }

    @Test
    void aProcessAloneNoticesThatItsStoreWasRolledBack() {
        for (DuplicateHunt.Generator generator : new DuplicateHunt.Generator[] {
            process -> segment(process, PATIENT), process -> shuffled(process, PATIENT), DuplicateHuntTest::sequence
        }) {
            DuplicateReport report = DuplicateHunt.in(generator)
                    .processes(1)
                    .runs(5)
                    .faults(Fault.STORE_ROLLED_BACK)
                    .assertNoDuplicates();

            assertThat(report.refused()).containsKey("SequenceRegressedException");
        }
    }
}
