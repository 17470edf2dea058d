package dev.tenon.id.builder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceRegressedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LocalIdBuilderTest {
    private static final int ORDERS = 1;
    private static final IdBuilderOptions IMPATIENT =
            IdBuilderOptions.DEFAULT.withPolicy(SegmentPolicy.DEFAULT.withWaitMax(Duration.ofMillis(50)));

    private final TableOfCodes table = new TableOfCodes();
    private LocalIdBuilder ids = LocalIdBuilder.create(table, IdBuilderOptions.DEFAULT); // of an empty table

    @BeforeEach
    void defineOrders() {
        table.put(ORDERS, 10_000, 100, "order_");
    }

    @AfterEach
    void close() {
        ids.close();
    }

    private void restart(IdBuilderOptions options) {
        ids.close();
        ids = LocalIdBuilder.create(table, options);
    }

    private void awaitTaken(int segments) {
        await().until(() -> table.taken() == segments);
    }

    @Test
    void aCodeNobodyDefinedIsRefusedEachTimeAndLeavesNothingBehind() {
        for (int code = 100; code < 400; code++) {
            int unknown = code;
            assertThatThrownBy(() -> ids.unionId(unknown)).isInstanceOf(UnknownCodeException.class);
            assertThatThrownBy(() -> ids.unionSeqIdStr(unknown)).isInstanceOf(UnknownCodeException.class);
            assertThat(ids.knows(unknown)).isFalse();
        }
        assertThat(table.taken()).isZero();
        table.put(100, 1, 10, "");
        assertThat(ids.unionSeqId(100)).isEqualTo(1);
    }

    @Test
    void contiguousNumbersCountUpFromTheThreshold() {
        for (long expected = 10_000; expected < 11_000; expected++) {
            assertThat(ids.unionSeqId(ORDERS)).isEqualTo(expected);
        }
    }

    @Test
    void shuffledNumbersAreThoseOfTheSegmentInAnotherOrder() {
        List<Long> first =
                LongStream.range(0, 100).map(i -> ids.unionId(ORDERS)).boxed().toList();
        assertThat(first)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(10_000, 10_100).boxed().toList());
        assertThat(first).isNotEqualTo(first.stream().sorted().toList());
        List<Long> second =
                LongStream.range(0, 100).map(i -> ids.unionId(ORDERS)).boxed().toList();
        assertThat(second)
                .containsExactlyInAnyOrderElementsOf(
                        LongStream.range(10_100, 10_200).boxed().toList());
        assertThat(second.stream().map(id -> id - 100).toList()).isNotEqualTo(first);
    }

    @Test
    void bothStylesOfTwoInstancesTogetherIssueEachNumberOnce() throws Exception {
        try (LocalIdBuilder other = LocalIdBuilder.create(table, IdBuilderOptions.DEFAULT)) {
            List<CompletableFuture<List<Long>>> all = new ArrayList<>();
            for (int thread = 0; thread < 8; thread++) {
                LocalIdBuilder mine = thread % 2 == 0 ? ids : other;
                boolean inOrder = thread % 4 < 2;
                all.add(CompletableFuture.supplyAsync(() -> LongStream.range(0, 5_000)
                        .map(i -> inOrder ? mine.unionSeqId(ORDERS) : mine.unionId(ORDERS))
                        .boxed()
                        .toList()));
            }
            Set<Long> seen = new HashSet<>();
            for (CompletableFuture<List<Long>> each : all) {
                seen.addAll(each.get());
            }
            assertThat(seen).hasSize(8 * 5_000);
        }
    }

    @Test
    void aTextIsPrefixMachineIndexAndNumber() {
        assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("order_10000");
        restart(IdBuilderOptions.DEFAULT.withMachineIndex(1001));
        assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("order_100110100");
        assertThat(ids.unionIdStr(ORDERS)).matches("order_1001102\\d\\d");
        table.put(2, 7, 10, "");
        assertThat(ids.unionSeqIdStr(2)).isEqualTo("10017");
    }

    @Test
    void theMachineIndexComesFromTheSystemProperty() {
        String before = System.getProperty(IdBuilderOptions.INDEX_PROPERTY);
        try {
            System.clearProperty(IdBuilderOptions.INDEX_PROPERTY);
            assertThat(IdBuilderOptions.fromSystemProperties()).isEqualTo(IdBuilderOptions.DEFAULT);
            System.setProperty(IdBuilderOptions.INDEX_PROPERTY, "1002");
            ids.close();
            ids = LocalIdBuilder.create(table);
            assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("order_100210000");
            for (String bad : List.of("x", "-1", "1.5", "99999999999")) {
                System.setProperty(IdBuilderOptions.INDEX_PROPERTY, bad);
                assertThatThrownBy(() -> LocalIdBuilder.create(table))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("-DidBuilder.index")
                        .hasMessageContaining(bad);
            }
        } finally {
            if (before == null) {
                System.clearProperty(IdBuilderOptions.INDEX_PROPERTY);
            } else {
                System.setProperty(IdBuilderOptions.INDEX_PROPERTY, before);
            }
        }
    }

    @Test
    void eachStartBeginsAFreshSegment() {
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
        restart(IdBuilderOptions.DEFAULT);
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_100);
        restart(IdBuilderOptions.DEFAULT);
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_200);
        assertThat(ids.unionId(ORDERS)).isBetween(10_300L, 10_399L);
    }

    @Test
    void theNextSegmentIsFetchedInTheBackgroundWhenFifteenInAHundredAreLeft() {
        for (int i = 0; i < 84; i++) {
            ids.unionSeqId(ORDERS);
        }
        assertThat(table.taken()).isEqualTo(1);
        assertThat(ids.left(ORDERS)).isEqualTo(16);
        ids.unionSeqId(ORDERS);
        awaitTaken(2);
        await().until(() -> ids.left(ORDERS) == 115);
    }

    @Test
    void anotherStepAndPrefixInTheRowNeedNoRestart() {
        assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("order_10000");
        table.put(ORDERS, 20_000, 5, "o-");
        for (int i = 0; i < 99; i++) {
            ids.unionSeqId(ORDERS);
        }
        awaitTaken(2);
        assertThat(ids.unionSeqIdStr(ORDERS)).isEqualTo("o-20000");
        assertThat(ids.unionId(ORDERS)).isBetween(20_005L, 20_014L);
    }

    @Test
    void anOutageIsNotNoticedAsLongAsNumbersAreAtHandAndEndsByItself() {
        restart(IMPATIENT);
        await().until(() -> ids.left(ORDERS) == 100);
        ids.unionSeqId(ORDERS);
        table.failWith(() -> new BackendUnavailableException("away"));
        for (int i = 1; i < 100; i++) {
            assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000 + i);
        }
        assertThatThrownBy(() -> ids.unionSeqId(ORDERS)).isInstanceOf(BackendUnavailableException.class);
        table.failWith(null);
        await().ignoreExceptions().until(() -> ids.unionSeqId(ORDERS) == 10_100);
    }

    @Test
    void aSickStoreGetsOneCallAtATimeForACodeAndFewOfThem() throws Exception {
        restart(IMPATIENT);
        await().until(() -> ids.left(ORDERS) == 100);
        await().ignoreExceptions().until(() -> ids.unionId(ORDERS) >= 10_100);
        await().until(() -> ids.left(ORDERS) == 199);
        CountDownLatch hang = new CountDownLatch(1);
        table.failWith(() -> {
            try {
                hang.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return new BackendUnavailableException("away");
        });
        int before = table.calls();
        List<CompletableFuture<Void>> callers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            boolean inOrder = i % 2 == 0;
            callers.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 40; j++) {
                    try {
                        long id = inOrder ? ids.unionSeqId(ORDERS) : ids.unionId(ORDERS);
                        assertThat(id).isPositive();
                    } catch (TenonException e) {
                        assertThat(e).isInstanceOf(BackendUnavailableException.class);
                    }
                }
            }));
        }
        CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0])).get();
        assertThat(table.calls() - before).isEqualTo(1);
        assertThat(table.callsAtOnce()).isEqualTo(1);
        hang.countDown();
    }

    @Test
    void aStoreThatIsDownAtTheStartIsAskedAgainByTheNextCall() {
        table.failWith(() -> new BackendUnavailableException("away"));
        assertThatThrownBy(() -> ids.unionId(ORDERS)).isInstanceOf(BackendUnavailableException.class);
        table.failWith(null);
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
    }

    @Test
    void aRowThatBecomesNonsenseStopsTheCodeWhenItsNumbersAreUsedUntilItIsRepaired() {
        ids.unionSeqId(ORDERS);
        table.failWith(() -> new MisconfiguredCodeException("Code 1: step is 0"));
        for (int i = 1; i < 100; i++) {
            ids.unionSeqId(ORDERS);
        }
        assertThatThrownBy(() -> ids.unionSeqId(ORDERS)).isInstanceOf(MisconfiguredCodeException.class);
        table.failWith(null);
        await().ignoreExceptions().until(() -> ids.unionSeqId(ORDERS) == 10_100);
    }

    @Test
    void aTableThatWentBackIsNoticedByTheOtherStyleToo() {
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
        table.put(ORDERS, 9_000, 100, "order_");
        assertThatThrownBy(() -> ids.unionId(ORDERS))
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("Code 1 ")
                .hasMessageContaining("SET current_threshold = 10100 WHERE id = 1");
        assertThat(ids.regressions()).containsOnlyKeys(ORDERS);
        await().until(() -> table.calls() > 8);
        assertThat(table.taken()).isEqualTo(2); // it only looks
        table.put(ORDERS, 50_000, 100, "order_");
        await().ignoreExceptions().until(() -> ids.unionId(ORDERS) >= 50_000);
        assertThat(ids.regressions()).isEmpty();
    }

    @Test
    void whatIsRefusedDoesNotItselfMoveTheRowPastTheMark() {
        assertThat(ids.unionSeqId(ORDERS)).isEqualTo(10_000);
        table.put(ORDERS, 10_000, 100, "order_");
        assertThatThrownBy(() -> ids.unionId(ORDERS))
                .isInstanceOf(SequenceRegressedException.class)
                .hasMessageContaining("gave 10000 after 10099")
                .hasMessageContaining("SET current_threshold = 10101 WHERE id = 1 AND current_threshold <= 10100");
        int looks = table.calls();
        await().until(() -> table.calls() > looks + 2);
        assertThat(table.taken()).isEqualTo(2); // it only looks
        table.put(ORDERS, 10_101, 100, "order_");
        await().ignoreExceptions().until(() -> ids.unionId(ORDERS) >= 10_101);
        assertThat(ids.regressions()).isEmpty();
    }

    @Test
    void afterClosingNothingIsIssuedAndNoThreadIsLeft() {
        ids.unionSeqId(ORDERS);
        ids.unionId(ORDERS);
        ids.close();
        ids.close();
        assertThatThrownBy(() -> ids.unionSeqId(ORDERS)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.unionIdStr(ORDERS)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ids.unionId(99)).isInstanceOf(IllegalStateException.class);
        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("tenon-segments-")));
    }

    @Test
    void aSegmentOfTheServicesRuleLastsForFourFailOversOfAMinute() {
        assertThat(IdBuilder.stepForPeak(1)).isEqualTo(240);
        assertThat(IdBuilder.stepForPeak(1_000)).isEqualTo(240_000);
        assertThat(IdBuilder.stepForPeak(8_947_848)).isEqualTo(2_147_483_520);
        for (long bad : List.of(0L, -1L, 8_947_849L, Long.MAX_VALUE)) {
            assertThatThrownBy(() -> IdBuilder.stepForPeak(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> IdBuilderOptions.DEFAULT.withMachineIndex(-1))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
