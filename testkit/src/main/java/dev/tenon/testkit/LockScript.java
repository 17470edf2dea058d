package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.lock.spi.LockTable.Applied;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A random script of lock operations on three names of its own, in one mode or in all of them, run step by step on a
 * store and on {@link LockTable}, which must give equal answers. A step is first {@linkplain #send sent}, then
 * {@linkplain #check checked}: others may be under way meanwhile. Tokens are compared by whom they were given to, as
 * each side makes its own; nothing expires during a script. Not thread-safe.
 */
final class LockScript {
    private static final Duration LEASE = Duration.ofMinutes(10);
    /**
     * What is handed over is held for {@link LockMachine#CLAIM_LEASE} until it is renewed: a slow machine must do so.
     */
    private static final Duration CLAIM_AFTER = LockMachine.CLAIM_LEASE.dividedBy(10);

    private static final Duration STALLED_AFTER =
            LockMachine.CLAIM_LEASE.multipliedBy(4).dividedBy(5);
    /**
     * How many requests of a name are remembered that once were granted: the last ones, any of which may come up again.
     */
    private static final int GRANTED_KEPT = 8;

    private static final String OWNER = "owner of ";
    private static final Runnable NONE = () -> {};

    private final Random random;
    private final List<LockScriptSide> sides;
    private final List<String> names;
    private final LockTable model = new LockTable();
    private final Instant start = Instant.parse("2026-01-01T00:00:00Z");
    /** Those that are waited for or held, or were until a moment ago, by owner, in the order of their first sending. */
    private final Map<String, Acquire> requests = new LinkedHashMap<>();

    private final Map<String, Deque<String>> granted = new HashMap<>();
    private final Map<String, String> converts = new HashMap<>();
    private final Map<String, Long> modelTokens = new HashMap<>();
    private final Map<String, Long> storeTokens = new HashMap<>();
    /** What was handed over and not claimed yet, and when at the earliest. */
    private final Deque<Claim> unclaimed = new ArrayDeque<>();

    private final boolean modes;
    private List<Grant> pendingGrants = List.of();
    private int modelGrants;
    private long sentNanos;
    private int steps;
    /** How to compare the answer to the step that is under way. */
    private Runnable answer = NONE;

    private record Claim(String name, String requestId, String sessionId, long earliestNanos) {}

    /**
     * @param prefix what its names begin with
     * @param stores the same locks, as one process and another have them
     * @param modes whether to use every mode, conversions, barging and revocations, or the exclusive mode alone
     */
    LockScript(long seed, String prefix, List<LockScriptCalls> stores, boolean modes) {
        this.modes = modes;
        this.random = new Random(seed);
        this.names = List.of(prefix + "a", prefix + "b", prefix + "c");
        this.sides = stores.stream().map(LockScriptSide::new).toList();
    }

    /** Opens its sessions. */
    void open() {
        sides.forEach(side -> model.openSession(side.begin(), start));
        sides.forEach(LockScriptSide::awaitOpen);
    }

    /** Ends its sessions, and so what they hold. */
    void close() {
        sides.stream().map(LockScriptSide::end).toList().forEach(LockScriptSide::join);
    }

    /** Takes the next step on the model, and has it on its way to the store. */
    void send() {
        sentNanos = System.nanoTime();
        if (claims()) {
            return;
        }
        while (answer == NONE) {
            draw();
        }
        steps++;
    }

    /** A step, unless there is nothing that it could be done to. */
    private void draw() {
        String name = names.get(random.nextInt(names.size()));
        switch (random.nextInt(40)) {
            case 0, 1, 2, 3, 4, 5 -> acquire(newRequest(name, Duration.ZERO));
            case 6, 7, 8, 9, 10, 11, 12, 13, 14 -> acquire(newRequest(name, LEASE));
            case 15, 16 -> anyRequest().ifPresent(this::acquire);
            case 17, 18, 19 -> anyRequest().ifPresent(this::cancel);
            case 20, 21, 22 -> evictOrRevoke(name);
            case 23 -> endSession(anySide());
            case 24, 25, 26, 27, 28 -> aTokenOf(name).ifPresent(held -> renew(name, held, anySide()));
            default -> aTokenOf(name).ifPresent(held -> release(name, held));
        }
    }

    /** Waits for the store's answer to the last step, which must be the model's, and for the grants that it led to. */
    void check() {
        Runnable last = answer;
        answer = NONE;
        last.run();
        awaitGrants();
    }

    /** @param locks the store's, by name; those of others are none of this script's business */
    void compareViews(Map<String, LockView> locks) {
        for (String name : names) {
            compareView(name, Optional.ofNullable(locks.get(name)));
        }
    }

    /** Looks at each lock by itself. */
    void compareViews() {
        for (String name : names) {
            compareView(name, LockScriptSide.join(anySide().store().inspect(name)));
        }
    }

    /** At the end of a script: nobody was told of a grant that was none. */
    void compareGrants() {
        long told = sides.stream().mapToLong(LockScriptSide::grantsTold).sum();
        assertThat(told).as("number of grants that were told").isEqualTo(modelGrants);
    }

    /** How many random steps were sent. */
    int steps() {
        return steps;
    }

    /** Whether the machine has stood still for so long that what was handed over may have expired, as it must not. */
    boolean stalled() {
        return unclaimed.stream().anyMatch(c -> System.nanoTime() - c.earliestNanos() > STALLED_AFTER.toNanos());
    }

    private <T> void expect(CompletionStage<T> call, Consumer<T> comparison) {
        answer = () -> comparison.accept(LockScriptSide.join(call));
    }

    private void acquire(Acquire request) {
        Outcome expected = applied(model.acquire(withToken(request, modelTokens), start, 0));
        expect(side(request).store().acquire(withToken(request, storeTokens)), actual -> {
            assertThat(actual).as("acquire %s", request).isInstanceOf(expected.getClass());
            if (expected instanceof Outcome.Granted modelGrant && actual instanceof Outcome.Granted storeGrant) {
                noteTokens(request.name(), request.requestId(), modelGrant.token(), storeGrant.token());
            } else if (expected instanceof Outcome.Queued modelQueue && actual instanceof Outcome.Queued storeQueue) {
                assertThat(storeQueue.ahead()).isEqualTo(modelQueue.ahead());
            } else if (expected instanceof Outcome.Busy modelBusy && actual instanceof Outcome.Busy storeBusy) {
                assertThat(storeBusy.owner()).isEqualTo(modelBusy.owner());
            }
        });
    }

    private void release(String name, String held) {
        Released expected = applied(model.release(new Release(name, token(modelTokens, held)), start, 0));
        expect(
                anySide().calls().release(new Release(name, token(storeTokens, held))),
                actual -> assertThat(actual).as("release of %s", held).isEqualTo(expected));
    }

    /** Has what was handed over a while ago renewed by its owner, who does so at once outside of scripts. */
    private boolean claims() {
        if (unclaimed.isEmpty() || System.nanoTime() - unclaimed.peek().earliestNanos() < CLAIM_AFTER.toNanos()) {
            return false;
        }
        Claim claim = unclaimed.element();
        renew(claim.name(), claim.requestId(), side(claim.sessionId()).orElse(sides.get(0)));
        Runnable renewal = answer;
        answer = () -> {
            renewal.run();
            unclaimed.remove();
        };
        return true;
    }

    private void renew(String name, String held, LockScriptSide side) {
        Optional<Duration> lease = Optional.of(LEASE);
        Renewed expected = applied(model.renew(new Renew(name, token(modelTokens, held), lease), start, 0));
        expect(side.calls().renew(new Renew(name, token(storeTokens, held), lease)), actual -> {
            assertThat(actual).as("renewal of %s", held).isInstanceOf(expected.getClass());
            if (expected instanceof Renewed.Extended modelLease && actual instanceof Renewed.Extended storeLease) {
                assertThat(storeLease.revokedBy()).isEqualTo(modelLease.revokedBy());
            }
        });
    }

    private void cancel(Acquire request) {
        Cancel cancel = new Cancel(request.name(), request.requestId());
        Cancelled expected = applied(model.cancel(cancel, start, 0));
        expect(side(request).store().cancel(cancel), actual -> {
            assertThat(actual).as("cancellation of %s", request).isInstanceOf(expected.getClass());
            if (expected instanceof Cancelled.WasGranted modelGrant
                    && actual instanceof Cancelled.WasGranted storeGrant) {
                noteTokens(request.name(), request.requestId(), modelGrant.token(), storeGrant.token());
            }
        });
    }

    private void evictOrRevoke(String name) {
        if (modes && random.nextBoolean()) {
            int expected = applied(model.revoke(name, "script", start, 0));
            expect(
                    anySide().store().revoke(name, "script"),
                    actual -> assertThat(actual).as("holders of %s", name).isEqualTo(expected));
            return;
        }
        aTokenOf(name).ifPresent(held -> evict(name, held));
    }

    private void evict(String name, String held) {
        Optional<Long> expected = applied(model.evict(name, token(modelTokens, held), start, 0));
        long token = token(storeTokens, held);
        expect(anySide().store().evict(name, token, "script"), actual -> {
            assertThat(actual.isPresent()).as("eviction of %s", held).isEqualTo(expected.isPresent());
            actual.ifPresent(floor -> assertThat(floor).isGreaterThanOrEqualTo(token + LockMachine.TOKEN_STRIDE));
        });
    }

    /** What the session holds goes to those of the other, and what it waits for is over. */
    private void endSession(LockScriptSide side) {
        applied(model.closeSession(side.sessionId(), start, 0));
        expect(side.end(), ended -> {
            awaitGrants();
            model.openSession(side.begin(), start);
            side.awaitOpen();
        });
    }

    private void compareView(String name, Optional<LockView> actual) {
        Optional<LockView> expected = model.inspect(name);
        assertThat(actual.isPresent()).as("presence of %s: %s", name, actual).isEqualTo(expected.isPresent());
        if (expected.isPresent() && actual.isPresent()) {
            assertThat(holders(actual.get())).as("holders of %s", name).isEqualTo(holders(expected.get()));
            assertThat(queue(actual.get())).as("queue of %s", name).isEqualTo(queue(expected.get()));
        }
    }

    private static List<?> holders(LockView view) {
        return view.holders().stream()
                .map(h -> List.of(h.owner(), h.mode(), h.revokedBy()))
                .toList();
    }

    private static List<?> queue(LockView view) {
        return view.queue().stream().map(w -> List.of(w.owner(), w.mode())).toList();
    }

    private <T> T applied(Applied<T> step) {
        pendingGrants = step.grants();
        modelGrants += pendingGrants.size();
        return step.answer();
    }

    private void awaitGrants() {
        for (Grant expected : pendingGrants) {
            Grant actual = side(expected.sessionId()).orElseThrow().awaitGrantOf(expected.requestId());
            noteTokens(expected.name(), expected.requestId(), expected.token(), actual.token());
            unclaimed.add(new Claim(expected.name(), expected.requestId(), expected.sessionId(), sentNanos));
        }
        pendingGrants = List.of();
    }

    private void noteTokens(String name, String requestId, long modelToken, long storeToken) {
        modelTokens.put(requestId, modelToken);
        Long before = storeTokens.put(requestId, storeToken);
        assertThat(before == null || before == storeToken)
                .as("one token per request")
                .isTrue();
        if (before == null) {
            Deque<String> last = granted.computeIfAbsent(name, any -> new ArrayDeque<>());
            last.add(requestId);
            if (last.size() > GRANTED_KEPT) {
                last.remove();
            }
        }
    }

    /** A request of this name that was granted at some time: often a present holder, sometimes an old one. */
    private Optional<String> aTokenOf(String name) {
        List<LockView.HolderView> holding =
                model.inspect(name).map(LockView::holders).orElse(List.of());
        if (random.nextInt(4) != 0 && !holding.isEmpty()) {
            String owner = holding.get(random.nextInt(holding.size())).owner();
            return Optional.ofNullable(requests.get(owner)).map(Acquire::requestId);
        }
        List<String> last = List.copyOf(granted.getOrDefault(name, new ArrayDeque<>()));
        return last.isEmpty() ? Optional.empty() : Optional.of(last.get(random.nextInt(last.size())));
    }

    private static long token(Map<String, Long> tokens, String requestId) {
        Long token = tokens.get(requestId);
        assertThat(token).as("token of %s", requestId).isNotNull();
        return token == null ? 0 : token;
    }

    private Acquire newRequest(String name, Duration wait) {
        String id = UUID.randomUUID().toString();
        String owner = OWNER + id;
        Acquire request = new Acquire(name, anySide().sessionId(), id, owner, Optional.of(LEASE), wait, terms());
        if (modes && random.nextInt(6) == 0) {
            aTokenOf(name).filter(held -> isNotAnothers(held, request)).ifPresent(held -> converts.put(id, held));
        }
        requests.put(owner, request);
        return request;
    }

    /**
     * Nobody else converts a hold. If that ended with its session, it would depend on what the store takes from the
     * session first whether there still is something to convert.
     */
    private boolean isNotAnothers(String held, Acquire request) {
        Acquire by = requests.get(OWNER + held);
        return by == null || by.sessionId().equals(request.sessionId());
    }

    private Acquire.Terms terms() {
        if (!modes) {
            return Acquire.Terms.EXCLUSIVE;
        }
        Acquire.Terms terms = Acquire.Terms.of(
                switch (random.nextInt(6)) {
                    case 0, 1 -> LockMode.SHARED;
                    case 2 -> LockMode.UPDATE;
                    case 3 -> LockMode.permits(1 + random.nextInt(3), 3);
                    default -> LockMode.EXCLUSIVE;
                });
        return random.nextInt(5) == 0 ? terms.barging() : terms;
    }

    /** A request that converts names the hold by its request; each side knows that by a token of its own. */
    private Acquire withToken(Acquire r, Map<String, Long> tokens) {
        String held = converts.get(r.requestId());
        return held == null
                ? r
                : new Acquire(
                        r.name(),
                        r.sessionId(),
                        r.requestId(),
                        r.owner(),
                        r.lease(),
                        r.waitTime(),
                        r.terms().converting(token(tokens, held)));
    }

    /** A request to repeat or to cancel: one that is waited for or held, as an old one would be a new wish. */
    private Optional<Acquire> anyRequest() {
        Set<String> owners = new HashSet<>();
        names.forEach(name -> model.inspect(name).ifPresent(view -> {
            view.holders().forEach(holder -> owners.add(holder.owner()));
            view.queue().forEach(waiter -> owners.add(waiter.owner()));
        }));
        requests.keySet().retainAll(owners);
        List<Acquire> live = List.copyOf(requests.values());
        return live.isEmpty() ? Optional.empty() : Optional.of(live.get(random.nextInt(live.size())));
    }

    private LockScriptSide anySide() {
        return sides.get(random.nextInt(sides.size()));
    }

    private LockScriptSide side(Acquire request) {
        return side(request.sessionId()).orElseThrow();
    }

    private Optional<LockScriptSide> side(String sessionId) {
        return sides.stream().filter(s -> s.sessionId().equals(sessionId)).findFirst();
    }
}
