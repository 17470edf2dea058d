package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.lock.spi.LockTable.Applied;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.SessionSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A random script of lock operations, run step by step on a store and on {@link LockTable}, which must give equal answers.
 * Tokens are compared by whom they were given to, as each side makes its own; nothing expires during a script.
 */
final class LockScript {
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Random random;
    private final List<Side> sides;
    private final List<String> names = new ArrayList<>();
    private final LockTable model = new LockTable();
    private final Instant start = Instant.parse("2026-01-01T00:00:00Z");
    private final List<Acquire> requests = new ArrayList<>();
    private final Map<String, Long> modelTokens = new HashMap<>();
    private final Map<String, Long> storeTokens = new HashMap<>();
    private List<Grant> pendingGrants = List.of();
    private int modelGrants;

    private record Side(LockStore store, String sessionId, RecordedEvents events) {}

    LockScript(long seed, List<LockStore> stores) {
        this.random = new Random(seed);
        this.sides = stores.stream().map(this::open).toList();
        for (int i = 0; i < 3; i++) {
            names.add("script:" + UUID.randomUUID());
        }
    }

    /** Runs {@code steps} random operations. */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
        int told = sides.stream().mapToInt(s -> s.events().grants().size()).sum();
        assertThat(told).as("number of grants that were told").isEqualTo(modelGrants);
    }

    private void step() {
        String name = names.get(random.nextInt(names.size()));
        switch (random.nextInt(10)) {
            case 0, 1 -> acquire(newRequest(name, Duration.ZERO));
            case 2, 3, 4 -> acquire(newRequest(name, LEASE));
            case 5 -> anyRequest().ifPresent(this::acquire);
            case 6 -> renew(name);
            case 7 -> anyRequest().ifPresent(this::cancel);
            case 8 -> evict(name);
            default -> release(name);
        }
        compareViews(name);
    }

    private void acquire(Acquire request) {
        Outcome expected = applied(model.acquire(request, start, 0));
        Outcome actual = join(side(request).store().acquire(request));
        assertThat(actual).as("acquire %s", request).isInstanceOf(expected.getClass());
        if (expected instanceof Outcome.Granted modelGrant && actual instanceof Outcome.Granted storeGrant) {
            noteTokens(request.requestId(), modelGrant.token(), storeGrant.token());
        } else if (expected instanceof Outcome.Queued modelQueue && actual instanceof Outcome.Queued storeQueue) {
            assertThat(storeQueue.ahead()).isEqualTo(modelQueue.ahead());
        } else if (expected instanceof Outcome.Busy modelBusy && actual instanceof Outcome.Busy storeBusy) {
            assertThat(storeBusy.owner()).isEqualTo(modelBusy.owner());
        }
    }

    private void release(String name) {
        Optional<String> held = aTokenOf(name);
        if (held.isEmpty()) {
            return;
        }
        Released expected = applied(model.release(new Release(name, token(modelTokens, held)), start, 0));
        Released actual = join(anySide().store().release(List.of(new Release(name, token(storeTokens, held)))))
                .get(0);
        assertThat(actual).as("release of %s", held.get()).isEqualTo(expected);
        awaitGrants();
    }

    private void renew(String name) {
        Optional<String> held = aTokenOf(name);
        if (held.isEmpty()) {
            return;
        }
        Optional<Duration> lease = Optional.of(LEASE);
        Renewed expected = applied(model.renew(new Renew(name, token(modelTokens, held), lease), start, 0));
        Renewed actual = join(anySide().store().renew(List.of(new Renew(name, token(storeTokens, held), lease))))
                .get(0);
        assertThat(actual).as("renewal of %s", held.get()).isInstanceOf(expected.getClass());
    }

    private void cancel(Acquire request) {
        Cancel cancel = new Cancel(request.name(), request.requestId());
        Cancelled expected = applied(model.cancel(cancel, start, 0));
        Cancelled actual = join(side(request).store().cancel(cancel));
        assertThat(actual).as("cancellation of %s", request).isInstanceOf(expected.getClass());
        if (expected instanceof Cancelled.WasGranted modelGrant && actual instanceof Cancelled.WasGranted storeGrant) {
            noteTokens(request.requestId(), modelGrant.token(), storeGrant.token());
        }
    }

    private void evict(String name) {
        Optional<String> held = aTokenOf(name);
        if (held.isEmpty()) {
            return;
        }
        Optional<Long> expected = applied(model.evict(name, token(modelTokens, held), start, 0));
        Optional<Long> actual = join(anySide().store().evict(name, token(storeTokens, held), "script"));
        assertThat(actual.isPresent()).as("eviction of %s", held.get()).isEqualTo(expected.isPresent());
        actual.ifPresent(floor -> assertThat(floor).isGreaterThan(token(storeTokens, held)));
        awaitGrants();
    }

    private void compareViews(String name) {
        Optional<LockView> expected = model.inspect(name);
        Optional<LockView> actual = join(anySide().store().inspect(name));
        assertThat(actual.isPresent()).as("presence of %s", name).isEqualTo(expected.isPresent());
        if (expected.isPresent() && actual.isPresent()) {
            assertThat(actual.get().holder().map(LockView.HolderView::owner))
                    .isEqualTo(expected.get().holder().map(LockView.HolderView::owner));
            assertThat(actual.get().queue().stream().map(LockView.WaiterView::owner))
                    .containsExactlyElementsOf(expected.get().queue().stream()
                            .map(LockView.WaiterView::owner)
                            .toList());
        }
    }

    private <T> T applied(Applied<T> step) {
        pendingGrants = step.grants();
        modelGrants += pendingGrants.size();
        return step.answer();
    }

    private void awaitGrants() {
        for (Grant expected : pendingGrants) {
            Side side = sides.stream()
                    .filter(s -> s.sessionId().equals(expected.sessionId()))
                    .findFirst()
                    .orElseThrow();
            Grant actual = side.events().awaitGrantOf(expected.requestId(), PATIENCE);
            noteTokens(expected.requestId(), expected.token(), actual.token());
        }
        pendingGrants = List.of();
    }

    private void noteTokens(String requestId, long modelToken, long storeToken) {
        Long before = storeTokens.put(requestId, storeToken);
        assertThat(before == null || before == storeToken)
                .as("one token per request")
                .isTrue();
        modelTokens.put(requestId, modelToken);
    }

    /** A request of this name that was granted at some time: often the present holder, sometimes an old one. */
    private Optional<String> aTokenOf(String name) {
        List<String> granted = requests.stream()
                .filter(r -> r.name().equals(name) && storeTokens.containsKey(r.requestId()))
                .map(Acquire::requestId)
                .toList();
        if (granted.isEmpty()) {
            return Optional.empty();
        }
        boolean newest = random.nextInt(4) != 0;
        Optional<Long> holder = model.inspect(name).flatMap(LockView::holder).map(LockView.HolderView::token);
        if (newest && holder.isPresent()) {
            return granted.stream()
                    .filter(r -> holder.get().equals(modelTokens.get(r)))
                    .findFirst();
        }
        return Optional.of(granted.get(random.nextInt(granted.size())));
    }

    private static long token(Map<String, Long> tokens, Optional<String> requestId) {
        Long token = tokens.get(requestId.orElseThrow());
        assertThat(token).isNotNull();
        return token == null ? 0 : token;
    }

    private Acquire newRequest(String name, Duration wait) {
        Side side = anySide();
        String id = UUID.randomUUID().toString();
        Acquire request = new Acquire(name, side.sessionId(), id, "owner of " + id, Optional.of(LEASE), wait);
        requests.add(request);
        return request;
    }

    /** A request to repeat or to cancel: one that is waited for or held, as an old one would be a new wish. */
    private Optional<Acquire> anyRequest() {
        List<Acquire> live = requests.stream().filter(this::isLive).toList();
        return live.isEmpty() ? Optional.empty() : Optional.of(live.get(random.nextInt(live.size())));
    }

    private boolean isLive(Acquire request) {
        return model.inspect(request.name())
                .filter(v -> v.holder()
                                .filter(h -> h.owner().equals(request.owner()))
                                .isPresent()
                        || v.queue().stream().anyMatch(w -> w.owner().equals(request.owner())))
                .isPresent();
    }

    private Side anySide() {
        return sides.get(random.nextInt(sides.size()));
    }

    private Side side(Acquire request) {
        return sides.stream()
                .filter(s -> s.sessionId().equals(request.sessionId()))
                .findFirst()
                .orElseThrow();
    }

    private Side open(LockStore store) {
        RecordedEvents events = new RecordedEvents();
        SessionSpec spec = new SessionSpec(UUID.randomUUID().toString(), "script", Duration.ofHours(1));
        model.openSession(spec, start);
        return new Side(store, join(store.open(spec, events)).id(), events);
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    }
}
