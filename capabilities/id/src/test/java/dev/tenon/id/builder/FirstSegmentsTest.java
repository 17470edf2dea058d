package dev.tenon.id.builder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.spi.BuilderConfig;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an instance has at hand before its first call. */
class FirstSegmentsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ORDERS = 1;
    private static final int COUPONS = 2;
    private static final IdBuilderOptions PATIENT =
            IdBuilderOptions.DEFAULT.withPolicy(SegmentPolicy.DEFAULT.withWaitMax(PATIENCE));
    private static final IdBuilderOptions HURRIED =
            IdBuilderOptions.DEFAULT.withPolicy(SegmentPolicy.DEFAULT.withWaitMax(Duration.ofMillis(50)));

    private final TableOfCodes table = new TableOfCodes();
    private final CountDownLatch gate = new CountDownLatch(1);

    @BeforeEach
    void define() {
        table.put(ORDERS, 10_000, 100, "order_");
        table.put(new BuilderConfig(COUPONS, "", 50, false), 500);
    }

    @AfterEach
    void openGate() {
        gate.countDown();
    }

    private TenonException afterTheGate() {
        try {
            gate.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return away();
    }

    private static TenonException away() {
        return new BackendUnavailableException("away");
    }

    @Test
    void eachCodeHasTheFirstSegmentOfItsStyleBeforeTheFirstCall() {
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT)) {
            assertThat(table.taken()).isEqualTo(2);
            assertThat(ids.left(ORDERS)).isEqualTo(100);
            assertThat(ids.left(COUPONS)).isEqualTo(50);
            table.failWith(FirstSegmentsTest::away);
            assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
            assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("order_10001");
            assertThat(ids.unionId(COUPONS)).isBetween(500L, 549L);
        }
    }

    @Test
    void aThousandCodesAreFetchedAFewAtATime() {
        for (int code = 10; code < 1010; code++) {
            table.put(code, 1, 10, "");
        }
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT)) {
            assertThat(table.taken()).isEqualTo(1002);
            for (int code = 10; code < 1010; code++) {
                assertThat(ids.left(code)).isEqualTo(10);
            }
            await().atMost(PATIENCE)
                    .until(() -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().startsWith("tenon-")));
        }
    }

    @Test
    @Timeout(30)
    void aStoreThatIsDownNeitherFailsNorStallsTheStartAndIsAskedUntilItAnswers() {
        table.failWith(FirstSegmentsTest::away);
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT)) {
            assertThatThrownBy(() -> ids.unionSeqId(ORDERS)).isInstanceOf(BackendUnavailableException.class);
            table.failWith(null);
            await().atMost(PATIENCE).until(() -> ids.left(ORDERS) == 100 && ids.left(COUPONS) == 50);
        }
    }

    @Test
    @Timeout(30)
    void aStoreThatHangsHoldsUpTheStartAsLongAsACallAndNoLonger() {
        table.failWith(this::afterTheGate);
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, HURRIED)) {
            assertThat(table.taken()).isZero();
            table.failWith(null);
            gate.countDown();
            await().atMost(PATIENCE).until(() -> ids.left(ORDERS) == 100);
        }
    }

    @Test
    void aCodeThatFailsDoesNotHoldUpTheOthers() {
        table.put(3, Long.MAX_VALUE - 5, 2, "");
        table.put(4, 1, 10, "");
        table.failTakingOf(4, () -> new MisconfiguredCodeException("Code 4: step is 0"));
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT)) {
            assertThat(ids.left(ORDERS)).isEqualTo(100);
            assertThatThrownBy(() -> ids.unionSeqId(4)).isInstanceOf(MisconfiguredCodeException.class);
            assertThat(ids.unionSeqId(3)).isEqualTo(Long.MAX_VALUE - 5);
        }
    }

    @Test
    void aRowThatIsNewerThanTheStartIsServedAtItsFirstCall() {
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT)) {
            table.put(9, 7, 10, "");
            assertThat(ids.unionSeqId(9)).isEqualTo(7);
        }
    }

    @Test
    void itCanBeLeftToTheFirstCall() {
        try (LocalIdBuilder ids = LocalIdBuilder.create(table, PATIENT.withFetchAtStart(false))) {
            assertThat(table.calls()).isZero();
            assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
        }
        assertThat(PATIENT.withFetchAtStart(false).withMachineIndex(3).fetchAtStart())
                .isFalse();
    }

    @Test
    void anInstanceThatIsClosedWhileTheStoreIsDownAsksItNoMore() {
        table.failWith(FirstSegmentsTest::away);
        LocalIdBuilder.create(table, PATIENT).close();
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().equals("tenon-id-builder")));
        table.failWith(null);
        assertThat(table.taken()).isZero();
    }
}
