package dev.tenon.lock.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.LockTable.Applied;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

/** What holds after every step of every script, with time that jumps at random. */
class LockTableProperties {
    private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

    /** One operation: {@code kind} on {@code name} by {@code session}, after {@code pause}. */
    record Op(int kind, int name, int session, int lease, int pause, int terms) {}

    @Provide
    Arbitrary<List<Op>> scripts() {
        Arbitrary<Integer> small = Arbitraries.integers().between(0, 2);
        Arbitrary<Integer> kind = Arbitraries.integers().between(0, 9);
        Arbitrary<Integer> seconds = Arbitraries.integers().between(1, 40);
        Arbitrary<Integer> pause = Arbitraries.frequencyOf(Tuple.of(5, Arbitraries.just(0)), Tuple.of(1, seconds));
        Arbitrary<Integer> terms = Arbitraries.integers().between(0, 11);
        return Combinators.combine(kind, small, small, seconds, pause, terms)
                .as(Op::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(80);
    }

    @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
    void tokensIncreaseAndNobodyHoldsTwice(@ForAll("scripts") List<Op> script) {
        Run run = new Run(new LockTable());
        for (Op op : script) {
            run.step(op);
            run.checkGrants();
        }
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void aTableFromASnapshotGoesOnAsTheOriginalDoes(@ForAll("scripts") List<Op> script) {
        Run original = new Run(new LockTable());
        int half = script.size() / 2;
        script.subList(0, half).forEach(original::step);
        Run restored = new Run(original);
        for (Op op : script.subList(half, script.size())) {
            assertThat(restored.step(op)).isEqualTo(original.step(op));
            assertThat(restored.table.snapshot()).isEqualTo(original.table.snapshot());
            assertThat(restored.table.nextDeadline()).isEqualTo(original.table.nextDeadline());
        }
    }

    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void nothingIsLeftWhenTimeHasPassed(@ForAll("scripts") List<Op> script) {
        Run run = new Run(new LockTable());
        script.forEach(run::step);
        run.table.advance(T0.plus(Duration.ofDays(2)), 0);
        // A grant to a waiter begins a claim, so a queue takes a few rounds to run dry.
        for (int i = 1; i <= script.size() + 1; i++) {
            run.table.advance(T0.plus(Duration.ofDays(2 + i)), 0);
        }
        LockTable.Snapshot end = run.table.snapshot();
        assertThat(end.locks()).isEmpty();
        assertThat(end.sessions()).isEmpty();
        assertThat(run.table.nextDeadline()).isEmpty();
    }

    private static final class Run {
        private final LockTable table;
        private final Map<String, Long> lastToken = new HashMap<>();
        private final Set<String> granted = new HashSet<>();
        private Instant now = T0;
        private int requests;
        private List<Grant> grants = List.of();

        Run(LockTable table) {
            this.table = table;
        }

        Run(Run other) {
            this.table = new LockTable(other.table.snapshot());
            this.now = other.now;
            this.requests = other.requests;
        }

        Object step(Op op) {
            now = now.plusSeconds(op.pause());
            String name = "lock-" + op.name();
            String session = "session-" + op.session();
            Optional<Duration> lease =
                    op.lease() % 5 == 0 ? Optional.empty() : Optional.of(Duration.ofSeconds(op.lease()));
            long held = table.inspect(name)
                    .flatMap(LockView::holder)
                    .map(LockView.HolderView::token)
                    .orElse(0L);
            Applied<?> applied = switch (op.kind()) {
                case 0 -> table.openSession(new SessionSpec(session, "o", Duration.ofSeconds(20)), now);
                case 1, 2, 3 ->
                    table.acquire(
                            new Acquire(
                                    name,
                                    session,
                                    "r" + ++requests,
                                    "o",
                                    lease,
                                    Duration.ofSeconds(op.lease() - 1),
                                    terms(op, held)),
                            now,
                            0);
                case 4 -> table.release(new Release(name, held), now, 0);
                case 5 -> table.renew(new Renew(name, held, lease), now, 0);
                case 6 -> table.cancel(new Cancel(name, "r" + (requests - 1)), now, 0);
                case 7 -> table.evict(name, held, now, 0);
                case 8 -> table.revoke(name, "o", now, 0);
                default -> op.lease() % 2 == 0 ? table.closeSession(session, now, 0) : table.keepAlive(session, now, 0);
            };
            grants = applied.grants();
            // A caller is granted its lock after the waiters whose turn came in the same step, and before those it lets
            // in.
            Stream<Map.Entry<String, Long>> waiters = grants.stream().map(g -> Map.entry(g.name(), g.token()));
            Stream<Map.Entry<String, Long>> caller = applied.answer() instanceof Outcome.Granted g
                    ? Stream.of(Map.entry(name, g.token()))
                    : Stream.empty();
            Stream.concat(waiters, caller)
                    .sorted(Map.Entry.comparingByValue())
                    .forEach(t -> noteToken(t.getKey(), t.getValue()));
            return applied;
        }

        private static Acquire.Terms terms(Op op, long held) {
            Acquire.Terms terms = Acquire.Terms.of(
                    switch (op.terms() % 6) {
                        case 0 -> LockMode.SHARED;
                        case 1 -> LockMode.UPDATE;
                        case 2 -> LockMode.permits(1 + op.session(), 3);
                        default -> LockMode.EXCLUSIVE;
                    });
            return switch (op.terms()) {
                case 6, 7, 8 -> terms.barging();
                case 9 -> terms.withLockDelay(Duration.ofSeconds(op.lease()));
                case 10, 11 -> terms.converting(held);
                default -> terms;
            };
        }

        void checkGrants() {
            for (Grant grant : grants) {
                assertThat(granted.add(grant.requestId())).as("granted once").isTrue();
            }
            for (LockState state : table.snapshot().locks()) {
                assertThat(state.holders()).allSatisfy(h -> {
                    assertThat(table.hasSession(h.sessionId())).isTrue();
                    assertThat(h.expiresAt()).isAfter(now);
                    assertThat(h.mode().fitsBeside(others(state, h)))
                            .as("may hold beside the others")
                            .isTrue();
                });
                assertThat(state.queue()).allMatch(w -> w.deadline().isAfter(now));
                assertThat(!state.holders().isEmpty()
                                || state.delayUntil().isPresent()
                                || state.queue().isEmpty())
                        .as("a free lock has no queue")
                        .isTrue();
            }
        }

        private static List<LockMode> others(LockState state, LockState.Holder holder) {
            return state.holders().stream()
                    .filter(h -> h.token() != holder.token())
                    .map(LockState.Holder::mode)
                    .toList();
        }

        private void noteToken(String name, long token) {
            assertThat(token).isGreaterThanOrEqualTo(lastToken.getOrDefault(name, 0L) + LockMachine.TOKEN_STRIDE);
            lastToken.put(name, token);
        }
    }
}
