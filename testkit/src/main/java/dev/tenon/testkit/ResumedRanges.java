package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeStore;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ranges after a fault. A line that has just been mended may lose a reply more on a slow machine, and the range with
 * it: what is asserted is that each lost range is one whose call was answered with {@link OutcomeUnknownException}, and
 * no other.
 */
public final class ResumedRanges {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private ResumedRanges() {}

    /**
     * Waits for the store to give ranges again, and asserts that the first one is the one after {@code last}, but for
     * those whose replies were lost meanwhile.
     */
    public static IdRange assertGoOnAfter(long last, RangeStore store, String name, int count) {
        AtomicInteger unknown = new AtomicInteger();
        IdRange next = await().atMost(PATIENCE)
                .until(() -> tryNext(store, name, count, unknown), Optional::isPresent)
                .orElseThrow();
        long behind = next.first() - last - 1;
        assertThat(behind % count).as("%s goes on after %s", next, last).isZero();
        assertThat(behind / count)
                .as("ranges lost before %s, of %s unknown", next, unknown)
                .isBetween(0L, unknown.longValue());
        return next;
    }

    private static Optional<IdRange> tryNext(RangeStore store, String name, int count, AtomicInteger unknown) {
        try {
            return Optional.of(store.next(name, count));
        } catch (OutcomeUnknownException e) {
            unknown.incrementAndGet();
            return Optional.empty();
        } catch (BackendUnavailableException e) {
            return Optional.empty();
        }
    }
}
