package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.tx.BranchState;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What {@link dev.tenon.tx.spi.TransactionStore#list} lists, and in which order. */
public abstract class TransactionListContract extends TransactionClaimContract {
    /** The transactions of this test. */
    TransactionFilter own() {
        return TransactionFilter.ALL.ofService(service);
    }

    /** The suffixes of transactions, in pages of that size. */
    List<String> listed(TransactionFilter filter, int limit) {
        List<TransactionRecord> listed = new ArrayList<>();
        TransactionPage page = otherStore().list(filter, "", limit);
        while (true) {
            assertThat(page.transactions()).hasSizeLessThanOrEqualTo(limit);
            listed.addAll(page.transactions());
            if (!page.more()) {
                assertThat(page.next()).isEmpty();
                return suffixes(listed);
            }
            page = store().list(filter, page.next(), limit);
        }
    }

    @Test
    void aListingHasEveryTransactionTheNewestFirst() {
        List<String> all = new ArrayList<>(List.of("-B", "-a", "-b", "-.x", "-_x", "-:x", "--x", "-1", "-10", "-9"));
        for (String suffix : all) {
            TransactionRecord tx = begin(suffix);
            // By the clock of the store, which may be coarse, the next one is newer.
            await().until(() -> store().now().isAfter(tx.createdAt().plusMillis(1)));
        }
        Collections.reverse(all);
        for (int limit : new int[] {1, 3, 10, 11}) {
            assertThat(listed(own(), limit)).containsExactlyElementsOf(all);
        }
        TransactionRecord newest =
                otherStore().list(TransactionFilter.ALL, "", 1).transactions().get(0);
        assertThat(newest.createdAt()).isAfterOrEqualTo(found("-9").createdAt());
    }

    @Test
    void ofThoseThatBeganTogetherNoneIsListedTwiceOrLeftOut() {
        Concurrently.on(4, thread -> {
            for (int i = 0; i < 10; i++) {
                begin("-" + thread + "-" + i);
            }
            return thread;
        });
        for (int limit : new int[] {1, 7, 40}) {
            assertThat(listed(own(), limit)).hasSize(40).doesNotHaveDuplicates();
        }
    }

    @Test
    void aListingGoesOnWhereItWasThoughItsLastTransactionIsForgotten() {
        List.of("-a", "-b", "-c").forEach(suffix -> {
            TransactionRecord tx = begin(suffix);
            await().until(() -> store().now().isAfter(tx.createdAt().plusMillis(1)));
        });
        TransactionPage page = store().list(own(), "", 2);
        assertThat(suffixes(page.transactions())).containsExactly("-c", "-b");
        TransactionRecord b = found("-b");
        updated(b, b.in(TransactionState.COMMITTED));
        await().until(() -> store().purge(service, SHORT, 10) == 1);
        assertThat(suffixes(store().list(own(), page.next(), 2).transactions())).containsExactly("-a");
    }

    @Test
    void aListingHasOnlyWhatItsFilterLetsThrough() {
        for (TransactionState state : TransactionState.values()) {
            brought(begin("-" + state), state);
        }
        TransactionRecord suspended = begin("-suspended");
        updated(suspended, suspended.suspendedFor(Optional.of("why")));
        created(store().begin(fullDraft("-at"), Optional.empty(), LEASE));
        for (TransactionState state : TransactionState.values()) {
            List<String> some = new ArrayList<>(List.of("-" + state));
            some.addAll(state == TransactionState.ACTIVE ? List.of("-suspended") : List.of());
            some.addAll(state == TransactionState.COMMITTING ? List.of("-at") : List.of());
            assertThat(listed(own().in(state), 2)).containsExactlyInAnyOrderElementsOf(some);
        }
        assertThat(listed(own().ofKind(TransactionKind.AT), 2)).containsExactly("-at");
        assertThat(listed(own().thatAreStuck(), 2)).containsExactly("-suspended");
        assertThat(listed(
                        own().in(TransactionState.COMMITTING)
                                .ofKind(TransactionKind.SAGA)
                                .thatAreStuck(),
                        2))
                .isEmpty();
        assertThat(listed(TransactionFilter.ALL.ofService(service + "-other"), 2))
                .isEmpty();
    }

    @Test
    void whatIsReportedAsStuckIsListedWithWhatIsSuspended() {
        Instant since = Instant.parse("2031-02-03T04:05:06.789012Z");
        begin("-fine");
        TransactionRecord failing = begin("-failing");
        updated(failing, failing.with(failing.progress().troubled(Optional.of(new Trouble(since, Optional.empty())))));
        TransactionRecord stuck = begin("-stuck");
        updated(stuck, stuck.with(stuck.progress().troubled(Optional.of(new Trouble(since, Optional.of(since))))));
        TransactionRecord both = begin("-both");
        updated(
                both,
                both.with(both.progress()
                        .troubled(Optional.of(new Trouble(since, Optional.of(since))))
                        .suspendedFor(Optional.of("why"))));
        for (int limit : new int[] {1, 2, 3}) {
            assertThat(listed(own().thatAreStuck(), limit)).containsExactlyInAnyOrder("-stuck", "-both");
        }
    }

    @Test
    void aListingIsByTheBeginOfAnId() {
        List.of("-a", "-ab", "-abc", "-b", "-_", "-x").forEach(this::begin);
        assertThat(listed(TransactionFilter.ALL.withIdPrefix(service + "-ab"), 2))
                .containsExactlyInAnyOrder("-ab", "-abc");
        assertThat(listed(TransactionFilter.ALL.withIdPrefix(service + "-_"), 2))
                .containsExactly("-_");
        assertThat(listed(TransactionFilter.ALL.withIdPrefix(service + "-%"), 2))
                .isEmpty();
        assertThat(listed(TransactionFilter.ALL.withIdPrefix(service), 2)).hasSize(6);
    }

    @Test
    void aListingIsByAge() {
        TransactionRecord tx = begin("-a");
        Duration old = Duration.ofHours(1);
        assertThat(listed(own().youngerThan(old), 2)).containsExactly("-a");
        assertThat(listed(own().olderThan(old), 2)).isEmpty();
        await().until(() -> store().now().isAfter(tx.createdAt().plus(SHORT)));
        assertThat(listed(own().olderThan(SHORT), 2)).containsExactly("-a");
        assertThat(listed(own().youngerThan(Duration.ofNanos(1)), 2)).isEmpty();
        assertThat(listed(own().olderThan(Duration.ZERO).youngerThan(TransactionFilter.AGE_MAX), 2))
                .containsExactly("-a");
        assertThat(listed(own().olderThan(TransactionFilter.AGE_MAX), 2)).isEmpty();
    }

    @Test
    void aListingIsByTheTextOfAnError() {
        failed("-a", "Connection refused: 100% of bank_1");
        failed("-b", "connection REFUSED: bank!2");
        failed("-c", "409");
        TransactionRecord suspended = begin("-d");
        updated(suspended, suspended.suspendedFor(Optional.of("Refused by hand")));
        assertThat(listed(own().withError("refused"), 2)).containsExactlyInAnyOrder("-a", "-b", "-d");
        assertThat(listed(own().withError("CONNECTION"), 2)).containsExactlyInAnyOrder("-a", "-b");
        assertThat(listed(own().withError("100%"), 2)).containsExactly("-a");
        assertThat(listed(own().withError("k_1"), 2)).containsExactly("-a");
        assertThat(listed(own().withError("k!2"), 2)).containsExactly("-b");
        assertThat(listed(own().withError("%").thatAreStuck(), 2)).isEmpty();
        assertThat(listed(own().withError("hand").thatAreStuck(), 2)).containsExactly("-d");
    }

    private void failed(String suffix, String error) {
        TransactionRecord tx = begin(suffix);
        updated(tx, tx.change("ship", branch -> branch.in(BranchState.CALLED, error)));
    }

    @Test
    void badListingsAreRefused() {
        for (int limit : new int[] {Integer.MIN_VALUE, -1, 0, 1001, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> store().list(TransactionFilter.ALL, "", limit))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        for (String after : List.of("x", "/", "1", "1/", "/x", "99999999999999999999/x", "1/a b", "1/\0")) {
            assertThatThrownBy(() -> store().list(TransactionFilter.ALL, after, 1))
                    .as(after)
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> TransactionFilter.ALL.olderThan(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TransactionFilter.ALL.withError("x".repeat(201)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TransactionFilter.ALL.withError("\0")).isInstanceOf(IllegalArgumentException.class);
    }
}
