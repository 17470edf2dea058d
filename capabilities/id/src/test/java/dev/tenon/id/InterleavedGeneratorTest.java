package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.RangeDefinition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InterleavedGeneratorTest {
    private static final int MEMBERS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final SegmentPolicy STEP_10 = SegmentPolicy.ofStep(10);

    private final List<TableRanges> stores = new ArrayList<>();
    private final List<InterleavedGenerator> opened = new ArrayList<>();

    InterleavedGeneratorTest() {
        for (int i = 0; i < MEMBERS; i++) {
            stores.add(new TableRanges());
        }
    }

    @AfterEach
    void close() {
        opened.forEach(InterleavedGenerator::close);
    }

    private InterleavedGenerator.Builder builder(SegmentPolicy policy) {
        InterleavedGenerator.Builder builder = InterleavedGenerator.builder("n").policy(policy);
        stores.forEach(builder::member);
        return builder;
    }

    private InterleavedGenerator open(SegmentPolicy policy) {
        InterleavedGenerator generator = builder(policy).build();
        opened.add(generator);
        return generator;
    }

    private static BackendUnavailableException away() {
        return new BackendUnavailableException("away");
    }

    /** Takes numbers, each above those before of its member, and none of the members given. */
    private static long[] take(InterleavedGenerator ids, int count, Integer... not) {
        long[] last = new long[MEMBERS];
        long[] all = new long[count];
        for (int i = 0; i < count; i++) {
            long id = ids.nextId();
            int member = (int) ((id - 1) % MEMBERS);
            assertThat(member).isNotIn((Object[]) not);
            assertThat(id).isGreaterThan(last[member]);
            last[member] = id;
            all[i] = id;
        }
        return all;
    }

    /**
     * Takes numbers until something is so: many between two looks, as a member's turn may be hundreds of numbers away.
     */
    private static long[] takeUntil(InterleavedGenerator ids, Callable<Boolean> reached) {
        List<Long> taken = new ArrayList<>();
        await().atMost(PATIENCE).until(() -> {
            for (int i = 0; i < 50; i++) {
                taken.add(ids.nextId());
            }
            return reached.call();
        });
        return taken.stream().mapToLong(Long::longValue).toArray();
    }

    private static void assertDistinct(long[]... taken) {
        long[] all = Arrays.stream(taken).flatMapToLong(Arrays::stream).toArray();
        assertThat(Arrays.stream(all).distinct().count()).isEqualTo(all.length);
    }

    @Test
    void theMembersTakeTurnsAsLongAsAllHaveNumbers() {
        InterleavedGenerator ids = open(STEP_10);
        long first = ids.nextId();
        assertThat(first).as("of the member that answered first").isBetween(1L, 5L);
        await().atMost(PATIENCE).until(() -> ids.left() == 49);
        long[] taken = take(ids, 40);
        assertThat(taken).isSorted().endsWith(41).doesNotContain(first);
        long[] more = take(ids, 5000);
        assertDistinct(taken, more);
    }

    @Test
    void goesOnWhenTwoDieAndAsksThemLessAndLess() {
        InterleavedGenerator ids = open(STEP_10);
        long[] before = take(ids, 200);
        stores.get(1).failWith(InterleavedGeneratorTest::away);
        stores.get(3).failWith(InterleavedGeneratorTest::away);
        takeUntil(
                ids,
                () -> ids.members().get(1).failure().isPresent()
                        && ids.members().get(3).failure().isPresent()
                        && ids.members().get(1).atHand() + ids.members().get(3).atHand() == 0);
        int calls = stores.get(1).counts().size();
        long start = System.nanoTime();
        long[] during = take(ids, 50_000, 1, 3);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start);
        assertThat(stores.get(1).counts().size() - calls)
                .as("calls, in the end one a second")
                .isLessThan(20 + (int) seconds);
        assertThat(stores).allMatch(store -> store.callsAtOnce() <= 1);

        stores.get(1).failWith(null);
        stores.get(3).failWith(null);
        takeUntil(
                ids,
                () -> ids.members().stream().allMatch(member -> member.failure().isEmpty() && member.atHand() > 0));
        long[] after = take(ids, 5000);
        assertThat(Arrays.stream(after).map(id -> (id - 1) % MEMBERS).distinct().count())
                .isEqualTo(MEMBERS);
        assertThat(Arrays.stream(after).min().getAsLong())
                .as("those that were away were raised to the others")
                .isGreaterThan(Arrays.stream(during).max().getAsLong() - 40_000);
        assertDistinct(before, during, after);
    }

    @Test
    void oneThatIsAwayAtTheStartComesInLater() {
        AtomicInteger openings = new AtomicInteger();
        stores.get(4).failWith(InterleavedGeneratorTest::away);
        InterleavedGenerator ids = InterleavedGenerator.builder("n")
                .policy(STEP_10)
                .member(stores.get(0))
                .member(() -> {
                    if (openings.incrementAndGet() < 3) {
                        throw away();
                    }
                    return stores.get(1);
                })
                .member(stores.get(4))
                .build();
        opened.add(ids);
        Set<Long> members = new HashSet<>();
        await().atMost(PATIENCE).until(() -> {
            members.add((ids.nextId() - 1) % 3);
            return members.contains(1L);
        });
        assertThat(members).containsExactlyInAnyOrder(0L, 1L);
        assertThat(openings).hasValue(3);
        stores.get(4).failWith(null);
        await().atMost(PATIENCE).until(() -> (ids.nextId() - 1) % 3 == 2);
    }

    @Test
    void aMemberThatIsDefinedOtherwiseIsRefusedAtTheDoor() {
        stores.get(2).define("n", new RangeDefinition(3, 4, Long.MAX_VALUE));
        assertThatThrownBy(() -> open(STEP_10)).isInstanceOf(DefinitionConflictException.class);
        assertThat(stores).allMatch(store -> store.counts().isEmpty());
    }

    @Test
    void storesInAnotherOrderAreRefused() {
        open(STEP_10);
        InterleavedGenerator.Builder swapped = InterleavedGenerator.builder("n");
        List.of(1, 0, 2, 3, 4).forEach(i -> swapped.member(stores.get(i)));
        assertThatThrownBy(swapped::build).isInstanceOf(DefinitionConflictException.class);
        InterleavedGenerator.Builder fewer = InterleavedGenerator.builder("n");
        List.of(0, 1, 2).forEach(i -> fewer.member(stores.get(i)));
        assertThatThrownBy(fewer::build).isInstanceOf(DefinitionConflictException.class);
    }

    @Test
    void aMemberThatTurnsOutToBeDefinedOtherwiseLaterIsLeftOut() {
        stores.get(2).failWith(InterleavedGeneratorTest::away);
        InterleavedGenerator ids = open(STEP_10);
        stores.get(2).failWith(null);
        stores.get(2).define("n", new RangeDefinition(1, 1, Long.MAX_VALUE));
        takeUntil(ids, () -> ids.members().get(2).failure().orElse(null) instanceof DefinitionConflictException);
        take(ids, 1000, 2);
        assertThat(stores.get(2).counts()).isEmpty();
    }

    @Test
    void aMemberThatForgotEverythingIsLeftOutUntilItWasRaised() {
        InterleavedGenerator ids = open(STEP_10);
        long[] before = take(ids, 1000);
        // The others may have given them all, while its thread was slow to start: then it has nothing to forget.
        long[] known = takeUntil(ids, () -> ids.members().get(0).highestSeen().isPresent());
        assertThat(ids.regression()).isEmpty();
        stores.get(0).rollBackBeforeDefinition();
        takeUntil(
                ids, () -> ids.regression().isPresent() && ids.members().get(0).atHand() == 0);
        long[] during = take(ids, 1000, 0);
        InterleavedGenerator.Member member = ids.members().get(0);
        assertThat(member.failure()).containsInstanceOf(SequenceRegressedException.class);
        stores.get(0).raiseTo("n", member.highestSeen().getAsLong());
        takeUntil(ids, () -> ids.regression().isEmpty() && ids.members().get(0).atHand() > 0);
        assertThat(stores.get(0).definition("n")).contains(new RangeDefinition(1, 5, Long.MAX_VALUE));
        long[] after = take(ids, 1000);
        assertThat(Arrays.stream(after)).anyMatch(id -> (id - 1) % MEMBERS == 0);
        assertDistinct(before, known, during, after);
    }

    @Test
    void aMemberThatForgetsInTheMidstOfAFetchIsLeftOutAsItsNumbersAreEverybodysNow() {
        InterleavedGenerator ids = open(STEP_10);
        long[] before = take(ids, 1000);
        stores.get(0).rollBackBeforeNumbers();
        long[] until = takeUntil(
                ids,
                () -> ids.members().get(0).failure().orElse(null) instanceof DefinitionConflictException
                        && ids.members().get(0).atHand() == 0);
        assertThat(stores.get(0).definition("n")).contains(RangeDefinition.DEFAULT);
        assertDistinct(before, until, take(ids, 1000, 0));
    }

    @Test
    void severalGeneratorsAndThreadsShareTheMembers() throws Exception {
        InterleavedGenerator one = open(STEP_10);
        InterleavedGenerator other = open(SegmentPolicy.DEFAULT);
        List<long[]> taken = SnowflakeGeneratorTest.onEightThreads(thread -> {
            InterleavedGenerator mine = thread % 2 == 0 ? one : other;
            long[] ids = new long[5000];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = mine.nextId();
            }
            return ids;
        });
        assertDistinct(taken.toArray(long[][]::new));
        long before = one.wasted();
        long left = one.left();
        one.close();
        assertThat(one.wasted() - before).isGreaterThanOrEqualTo(left);
        assertThat(one.left()).isZero();
    }

    @Test
    void saysWhyWhenNoMemberHasANumber() {
        stores.forEach(store -> store.failWith(InterleavedGeneratorTest::away));
        InterleavedGenerator ids = open(STEP_10.withWaitMax(Duration.ofMillis(100)));
        assertThatThrownBy(ids::nextId)
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessage("away");
        stores.get(2).failWith(null);
        await().atMost(PATIENCE).ignoreExceptions().until(() -> ids.nextId() == 3);

        stores.forEach(store -> store.failWith(null));
        InterleavedGenerator patient = open(STEP_10.withWaitMax(Duration.ofMinutes(5)));
        patient.nextId();
        stores.forEach(store -> store.failWith(() -> new RangeExhaustedException("used up")));
        assertThatThrownBy(() -> {
                    while (true) {
                        patient.nextId();
                    }
                })
                .as("at once, as waiting does not help")
                .isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void closingWakesThoseWhoWait() {
        stores.forEach(store -> store.failWith(InterleavedGeneratorTest::away));
        InterleavedGenerator ids = open(STEP_10.withWaitMax(Duration.ofMinutes(5)));
        CompletableFuture<Long> waiting = CompletableFuture.supplyAsync(ids::nextId);
        await().atMost(PATIENCE)
                .until(() -> ids.members().stream()
                        .allMatch(member -> member.failure().isPresent()));
        ids.close();
        assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(ids::nextId).isInstanceOf(IllegalStateException.class);
        await().atMost(PATIENCE)
                .until(() -> Thread.getAllStackTraces().keySet().stream()
                        .noneMatch(thread -> thread.getName().startsWith("tenon-segments-")));
    }

    /** A driver that is interrupted may take its database with it. */
    @Test
    void whoGivesUpWaitingForAStoreDoesNotInterruptItsDriver() throws Exception {
        CountDownLatch opening = new CountDownLatch(1);
        CountDownLatch answers = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        InterleavedGenerator.Builder builder = InterleavedGenerator.builder("n").member(() -> {
            opening.countDown();
            interrupted.complete(interruptedUntil(answers));
            return stores.get(0);
        });
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread building = new Thread(() -> failure.complete(catchThrowable(builder::build)));
        building.start();
        opening.await();
        building.interrupt();
        assertThat(failure.get(60, TimeUnit.SECONDS)).isInstanceOf(BackendUnavailableException.class);
        answers.countDown();
        assertThat(interrupted.get(60, TimeUnit.SECONDS)).isFalse();
    }

    private static boolean interruptedUntil(CountDownLatch latch) {
        try {
            latch.await();
            return false;
        } catch (InterruptedException e) {
            return true;
        }
    }

    @Test
    void noMembersAndBadNamesAreRefused() {
        assertThatThrownBy(() -> InterleavedGenerator.builder("n").build())
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> InterleavedGenerator.builder("a\nb")).isInstanceOf(IllegalArgumentException.class);
    }
}
