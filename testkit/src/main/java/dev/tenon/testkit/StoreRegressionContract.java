package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.IdGenerator;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What happens to the numbers of a {@link RangeStore} that comes back with an older state: restored from a dump, failed
 * over to a stale copy, killed before it had written. Generators that run issue nothing twice, say what is wrong, and
 * go on once the sequence was raised. A backend's test extends it, and really brings its store back.
 */
public abstract class StoreRegressionContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final SegmentPolicy STEP_20 = SegmentPolicy.ofStep(20);

    private final Set<Long> issued = new HashSet<>();
    private String name = "";

    /** The store under test. It must find its way back to the server by itself. */
    protected abstract RangeStore store();

    /** Keeps the state of the store as it is. */
    protected abstract void save();

    /** Brings the store back to the state that was kept last; returns when it answers again. */
    protected abstract void rollBack();

    @BeforeEach
    void chooseName() {
        name = "regression:" + UUID.randomUUID();
    }

    @Test
    void aSegmentGeneratorIssuesWhatItHasAndThenNothingUntilTheSequenceIsRaised() {
        try (SegmentGenerator ids = SegmentGenerator.create(store(), name, STEP_20)) {
            goesThroughARollback(ids, ids::regression, ids::highestSeen);
        }
    }

    @Test
    void aShuffledGeneratorDoesSoToo() {
        try (ShuffledSegmentGenerator ids = ShuffledSegmentGenerator.create(store(), name, STEP_20)) {
            goesThroughARollback(ids, ids::regression, ids::highestSeen);
        }
    }

    @Test
    void aSequenceGeneratorIssuesNothingUntilTheSequenceIsRaised() {
        SequenceGenerator ids = SequenceGenerator.create(store(), name);
        goesThroughARollback(ids, ids::regression, ids::highestSeen);
    }

    @Test
    void startAndStepSurviveARollbackThatKnowsThem() {
        store().define(name, new RangeDefinition(7, 10, Long.MAX_VALUE));
        SequenceGenerator ids = SequenceGenerator.create(store(), name);
        goesThroughARollback(ids, ids::regression, ids::highestSeen);
        assertThat(issued).allMatch(id -> id % 10 == 7);
    }

    @Test
    void aStoreThatForgotTheSequenceAltogetherIsFoundOutToo() {
        save();
        SequenceGenerator ids = SequenceGenerator.create(store(), name);
        take(ids, 50);
        rollBack();
        assertThat(answer(() -> store().definition(name))).isEmpty();
        awaitRegression(ids);
        raise(ids.highestSeen());
        take(ids, 50);
    }

    /** The one that has seen more says how far to raise; what either has at hand is issued. */
    @Test
    void twoGeneratorsGoOnWhenTheSequenceWasRaisedAboveWhatBothHaveSeen() {
        try (SegmentGenerator one = SegmentGenerator.create(store(), name, STEP_20);
                SegmentGenerator other = SegmentGenerator.create(store(), name, STEP_20)) {
            take(one, 5);
            take(other, 5);
            save();
            for (int i = 0; i < 20; i++) {
                take(one, 20);
                take(other, 20);
            }
            rollBack();
            awaitRegression(one);
            awaitRegression(other);
            long highest = Math.max(
                    one.highestSeen().orElseThrow(), other.highestSeen().orElseThrow());
            raise(OptionalLong.of(highest));
            for (int i = 0; i < 20; i++) {
                take(one, 20);
                take(other, 20);
            }
            assertThat(one.regression()).isEmpty();
            assertThat(other.regression()).isEmpty();
        }
    }

    private void goesThroughARollback(
            IdGenerator ids,
            Supplier<Optional<SequenceRegressedException>> regression,
            Supplier<OptionalLong> highest) {
        take(ids, 5);
        save();
        take(ids, 300);
        assertThat(regression.get()).isEmpty();
        rollBack();
        awaitRegression(ids);
        assertThat(regression.get()).isPresent();
        assertThat(highest.get().orElseThrow())
                .isGreaterThanOrEqualTo(
                        issued.stream().mapToLong(id -> id).max().orElseThrow());

        for (int i = 0; i < 10; i++) {
            assertThatThrownBy(ids::nextId).isInstanceOf(SequenceRegressedException.class);
        }
        raise(highest.get());
        take(ids, 300);
        assertThat(regression.get()).isEmpty();
        IdRange next = answer(() -> store().next(name, 1));
        assertThat(issued).as("of the store, too").doesNotContain(next.first());
    }

    /** Takes what is left; all of it is new. */
    private void awaitRegression(IdGenerator ids) {
        await().atMost(PATIENCE).until(() -> {
            try {
                for (int i = 0; i < 1000; i++) {
                    assertThat(issued.add(answer(ids::nextId))).isTrue();
                }
                return false;
            } catch (SequenceRegressedException e) {
                return true;
            }
        });
    }

    private void raise(OptionalLong highest) {
        long floor = highest.orElseThrow();
        assertThat(answer(() -> store().raiseTo(name, floor))).isGreaterThan(floor);
    }

    /** Takes numbers, each of which is new. Right after it was raised a generator may need a moment to find out. */
    private void take(IdGenerator ids, int count) {
        await().atMost(PATIENCE)
                .pollDelay(Duration.ZERO)
                .ignoreExceptionsInstanceOf(SequenceRegressedException.class)
                .until(() -> issued.add(answer(ids::nextId)));
        for (int i = 1; i < count; i++) {
            assertThat(issued.add(answer(ids::nextId))).isTrue();
        }
    }

    /** The answer to a question that may meet a connection which broke with the server. */
    private static <T> T answer(Supplier<T> question) {
        try {
            return question.get();
        } catch (BackendUnavailableException | OutcomeUnknownException e) {
            return await().atMost(PATIENCE)
                    .ignoreExceptionsMatching(again ->
                            again instanceof BackendUnavailableException || again instanceof OutcomeUnknownException)
                    .until(question::get, value -> true);
        }
    }
}
