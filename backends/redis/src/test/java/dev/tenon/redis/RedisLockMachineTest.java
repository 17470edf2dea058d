package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.testkit.RecordedEvents;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterProperty;
import net.jqwik.api.lifecycle.BeforeProperty;

/**
 * The scripts are {@link LockMachine}: the same calls at the same moments have the same answers, tokens, and pushes.
 */
class RedisLockMachineTest {
    private static final List<String> NAMES = namesOfOneBucket(2);
    private static final int SESSIONS = 2;
    private static final int REQUESTS = 6;

    private final ManualRedis redis = new ManualRedis();
    private final RedisLockKeys keys = new RedisLockKeys("machine");
    private final RedisLockStore store = new RedisLockStore(
            redis.link(),
            keys,
            RedisLockScripts.onClock(ManualRedis.CLOCK),
            TimeSource.system(),
            Duration.ofSeconds(5));
    private RecordedEvents events = new RecordedEvents();

    /** The machine under the same calls: a state a name, and one token for both, as they share their fence in Redis. */
    private Map<String, LockState> states = new HashMap<>();

    private List<Grant> grants = new ArrayList<>();
    private long greatestToken;
    private int rounds;

    /** One call: what to do, to which name, for which request, and two durations in microseconds. */
    record Call(String verb, int name, int request, long first, long second, int terms) {
        Call(String verb, int name, int request, long first, long second) {
            this(verb, name, request, first, second, 0);
        }
    }

    @BeforeProperty
    void openSessions() {
        for (int i = 0; i < SESSIONS; i++) {
            join(store.open(new SessionSpec(session(i), "test", Duration.ofHours(1)), new RecordedEvents()));
        }
    }

    @AfterProperty
    void close() {
        store.close();
        redis.close();
    }

    @Property(tries = 150)
    void theScriptsAreTheMachine(@ForAll("calls") List<Call> calls) {
        redis.reset(Instant.now().truncatedTo(ChronoUnit.MICROS).plus(Duration.ofDays(rounds++)));
        states = new HashMap<>();
        grants = new ArrayList<>();
        greatestToken = 0;
        events = new RecordedEvents();
        for (int i = 0; i < SESSIONS; i++) {
            join(store.open(new SessionSpec(session(i), "test", Duration.ofHours(1)), events));
        }
        for (Call call : calls) {
            run(call);
        }
        NAMES.forEach(this::inspect);
        await().pollInterval(Duration.ofMillis(1)).until(() -> events.grants().size() >= grants.size());
        assertThat(events.grants()).isEqualTo(grants);
    }

    @Example
    void aCancelledHeadIsNotHandedTheLockOfAnExpiredHolderOnItsWayOut() {
        theScriptsAreTheMachine(List.of(
                new Call("queue", 0, 0, 10_000_000, 10_000_000),
                new Call("queue", 0, 1, 10_000_000, 60_000_000),
                new Call("queue", 0, 2, 10_000_000, 60_000_000),
                new Call("wait", 0, 0, 20_000_000, 0),
                new Call("cancel", 0, 1, 0, 0)));
    }

    @Example
    void aLockThatIsLookedAtTogetherWithOthersIsHandedOnThoughTheyAreNotTaken() {
        theScriptsAreTheMachine(List.of(
                new Call("queue", 0, 0, 5_000_000, 5_000_000),
                new Call("queue", 0, 1, 5_000_000, 60_000_000),
                new Call("wait", 0, 0, 5_000_000, 0),
                new Call("all", 0, 0, 5_000_000, 0),
                new Call("queue", 1, 0, 5_000_000, 5_000_000)));
    }

    @Provide
    Arbitrary<List<Call>> calls() {
        // None so short that Redis, on its own clock, removes a key while the test's clock stands still.
        Arbitrary<Long> spans = Arbitraries.oneOf(
                Arbitraries.longs().between(5_000_000, 20_000_000),
                Arbitraries.longs().between(5_000_000, 100_000_000),
                Arbitraries.just(LockMachine.CLAIM_LEASE.toMillis() * 1000));
        Arbitrary<String> verbs = Arbitraries.frequencyOf(
                Tuple.of(8, Arbitraries.of("queue", "queue", "try")),
                Tuple.of(4, Arbitraries.just("release")),
                Tuple.of(2, Arbitraries.just("renew")),
                Tuple.of(3, Arbitraries.just("cancel")),
                Tuple.of(2, Arbitraries.of("evict", "inspect", "release-wrong", "revoke", "all")),
                Tuple.of(4, Arbitraries.just("wait")));
        return Combinators.combine(
                        verbs,
                        Arbitraries.integers().between(0, NAMES.size() - 1),
                        Arbitraries.integers().between(0, REQUESTS - 1),
                        spans,
                        spans,
                        Arbitraries.integers().between(0, 19))
                .as(Call::new)
                .list()
                .ofMinSize(5)
                .ofMaxSize(60);
    }

    private void run(Call call) {
        String name = NAMES.get(call.name);
        Duration first = Duration.of(call.first, ChronoUnit.MICROS);
        switch (call.verb) {
            case "wait" -> redis.advance(first);
            case "try", "queue" -> {
                Duration wait = call.verb.equals("try") ? Duration.ZERO : Duration.of(call.second, ChronoUnit.MICROS);
                Acquire acquire = new Acquire(
                        name,
                        session(call.request % SESSIONS),
                        name + "-" + call.request,
                        "owner " + call.request,
                        Optional.of(first),
                        wait,
                        terms(call, name));
                same(call, store.acquire(acquire), name, s -> LockMachine.acquire(s, acquire, first, now(), seed()));
            }
            case "release", "release-wrong" -> {
                long token = call.verb.equals("release") ? held(name) : held(name) - 1;
                same(
                        call,
                        store.release(List.of(new Release(name, token))).thenApply(all -> all.get(0)),
                        name,
                        s -> LockMachine.release(s, token, now(), seed()));
            }
            case "renew" -> {
                long token = held(name);
                same(
                        call,
                        store.renew(List.of(new Renew(name, token, Optional.of(first))))
                                .thenApply(all -> all.get(0)),
                        name,
                        s -> LockMachine.renew(s, token, first, now(), seed()));
            }
            case "cancel" -> {
                String request = name + "-" + call.request;
                same(
                        call,
                        store.cancel(new Cancel(name, request)),
                        name,
                        s -> LockMachine.cancel(s, request, now(), seed()));
            }
            case "evict" -> {
                long token = held(name) + call.terms * 2; // up to 38: beyond the block
                same(call, store.evict(name, token, "test"), name, s -> LockMachine.evict(s, token, now(), seed()));
            }
            case "revoke" ->
                same(
                        call,
                        store.revoke(name, "test"),
                        name,
                        s -> counted(LockMachine.revoke(s, "test", now(), seed())));
            case "all" -> all(call, first);
            default -> inspect(name);
        }
    }

    private static Step<Integer> counted(Step<List<Revocation>> step) {
        return new Step<>(step.state(), step.answer().size(), step.grants());
    }

    /** Every name at once, against a trial of the machine on each of them. */
    private void all(Call call, Duration lease) {
        List<Acquire> requests = new ArrayList<>();
        for (String name : NAMES) {
            requests.add(new Acquire(
                    name,
                    session(call.request % SESSIONS),
                    name + "-" + call.request,
                    "owner " + call.request,
                    Optional.of(lease),
                    Duration.ZERO,
                    terms(call, name)));
        }
        List<Outcome> expected = new ArrayList<>();
        for (Acquire request : requests) {
            Step<Outcome> trial = LockMachine.acquire(state(request.name()), request, lease, now(), seed());
            // What time does to a lock that is looked at happens before the next one is looked at.
            apply(request.name(), s -> LockMachine.settle(s, now(), seed()));
            if (!(trial.answer() instanceof Outcome.Granted)) {
                expected = List.of(trial.answer());
                break;
            }
            expected.add(trial.answer());
        }
        List<Outcome> actual = join(store.acquireAll(requests));
        if (expected.size() < requests.size()) {
            assertThat(actual).as(call.toString()).isEqualTo(expected);
            return;
        }
        for (int i = 0; i < requests.size(); i++) {
            Acquire request = requests.get(i);
            assertThat(actual.get(i))
                    .as(call.toString())
                    .isEqualTo(apply(request.name(), s -> LockMachine.acquire(s, request, lease, now(), seed())));
        }
    }

    private Acquire.Terms terms(Call call, String name) {
        Acquire.Terms terms = Acquire.Terms.of(
                switch (call.terms % 6) {
                    case 1 -> LockMode.SHARED;
                    case 2 -> LockMode.UPDATE;
                    case 3 -> LockMode.permits(1 + call.request % 3, 3);
                    default -> LockMode.EXCLUSIVE;
                });
        return switch (call.terms) {
            case 7, 8, 9 -> terms.barging();
            case 12, 13 -> terms.withLockDelay(Duration.ofSeconds(6));
            case 14, 15, 16 -> terms.converting(held(name));
            default -> terms;
        };
    }

    private <T> void same(Call call, CompletionStage<T> answer, String name, Function<LockState, Step<T>> machine) {
        assertThat(join(answer)).as(call.toString()).isEqualTo(apply(name, machine));
    }

    private void inspect(String name) {
        apply(name, s -> LockMachine.settle(s, now(), seed()));
        LockState state = state(name);
        Optional<LockView> expected = state.isIdle() ? Optional.empty() : Optional.of(state.view(now()));
        Optional<LockView> seen = join(store.inspect(name));
        assertThat(seen.map(RedisLockMachineTest::withoutToken))
                .isEqualTo(expected.map(RedisLockMachineTest::withoutToken));
    }

    private <T> T apply(String name, Function<LockState, Step<T>> machine) {
        Step<T> step = machine.apply(state(name));
        states.put(name, step.state());
        grants.addAll(step.grants());
        greatestToken = Math.max(greatestToken, step.state().token());
        return step.answer();
    }

    /**
     * After an eviction the machine remembers the floor, and Redis shows only the token of the holder: both are known
     * tokens.
     */
    private static LockView withoutToken(LockView view) {
        return new LockView(view.name(), 0, view.holders(), view.queue());
    }

    private LockState state(String name) {
        return states.getOrDefault(name, LockState.free(name, 0));
    }

    /** The token under which the name was held when it was last looked at: it may have expired since. */
    private long held(String name) {
        return state(name)
                .holder()
                .map(LockState.Holder::token)
                .orElse(state(name).token());
    }

    private long seed() {
        return LockMachine.nextToken(greatestToken, redis.nowMicros());
    }

    private Instant now() {
        return redis.now();
    }

    private static String session(int index) {
        return "session-" + index;
    }

    private static List<String> namesOfOneBucket(int count) {
        RedisLockKeys keys = new RedisLockKeys("machine");
        List<String> names = new ArrayList<>();
        String fence = "";
        for (int i = 0; names.size() < count; i++) {
            String name = "lock-" + i;
            String itsFence = keys.of(name).get(4);
            fence = fence.isEmpty() ? itsFence : fence;
            if (itsFence.equals(fence)) {
                names.add(name);
            }
        }
        return names;
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
