package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A node with one lock, on {@link LockMachine}, whose calls fail at random: refused, done without an answer, or done
 * long after they have failed. Answers at once. For one thread.
 */
final class UnreliableNode implements QuorumNode {
    private final List<Supplier<?>> late = new ArrayList<>();
    private final TimeSource time;
    private final Random random;
    private final Duration clockAhead;
    private final LockStore store = (LockStore) Proxy.newProxyInstance(
            LockStore.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            (proxy, method, args) -> answer(method.getName(), args));
    private LockState state;
    double failing;
    long failures;

    UnreliableNode(String name, TimeSource time, Random random, Duration clockAhead) {
        this.time = time;
        this.random = random;
        this.clockAhead = clockAhead;
        this.state = LockState.free(name, 0);
    }

    /** Does one thing of long ago. */
    void deliverLate() {
        if (!late.isEmpty()) {
            late.remove(random.nextInt(late.size())).get();
        }
    }

    @Override
    public CompletionStage<Outcome> take(Acquire request, long proposed) {
        return perhaps(() -> {
            long last = state.token();
            long seed = proposed > last ? proposed : micros();
            Outcome outcome =
                    step(LockMachine.acquire(state, request, request.lease().orElseThrow(), now(), seed));
            if (outcome instanceof Outcome.Granted granted && granted.token() < proposed) {
                state = new LockState(
                        state.name(),
                        Math.max(state.token(), proposed),
                        List.of(under(proposed, state.holder().orElseThrow())),
                        List.of(),
                        Optional.empty());
                return new Outcome.Granted(proposed, granted.lease());
            }
            return outcome;
        });
    }

    @Override
    public <T> CompletionStage<T> ask(Function<LockStore, CompletionStage<T>> question) {
        return question.apply(store);
    }

    private Object answer(String call, Object[] args) {
        return switch (call) {
            case "open" ->
                CompletableFuture.completedFuture(
                        new Session(((SessionSpec) args[0]).id(), ((SessionSpec) args[0]).ttl()));
            case "cancel" ->
                perhaps(() -> step(LockMachine.cancel(state, ((Cancel) args[0]).requestId(), now(), micros())));
            case "release" ->
                perhaps(() -> ((List<?>) args[0])
                        .stream()
                                .map(each ->
                                        step(LockMachine.release(state, ((Release) each).token(), now(), micros())))
                                .toList());
            case "renew" ->
                perhaps(() -> ((List<?>) args[0])
                        .stream().map(each -> renew((Renew) each)).toList());
            case "inspect" ->
                perhaps(() -> {
                    step(LockMachine.settle(state, now(), micros()));
                    return Optional.of(state).filter(s -> !s.isIdle()).map(s -> s.view(now()));
                });
            default -> throw new AssertionError("not asked in this test: " + call);
        };
    }

    private <T> CompletableFuture<T> perhaps(Supplier<T> call) {
        if (random.nextDouble() >= failing) {
            return CompletableFuture.completedFuture(call.get());
        }
        failures++;
        switch (random.nextInt(3)) {
            case 0 -> {
                return CompletableFuture.failedFuture(new BackendUnavailableException("refused"));
            }
            case 1 -> call.get();
            default -> late.add(call);
        }
        return CompletableFuture.failedFuture(new OutcomeUnknownException("no answer"));
    }

    private Renewed renew(Renew hold) {
        return step(LockMachine.renew(state, hold.token(), hold.lease().orElseThrow(), now(), micros()));
    }

    private <T> T step(Step<T> step) {
        state = step.state();
        return step.answer();
    }

    private Instant now() {
        return Instant.EPOCH.plusNanos(time.nanoTime()).plus(clockAhead);
    }

    private long micros() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, now());
    }

    private static Holder under(long token, Holder h) {
        return new Holder(
                h.sessionId(),
                h.requestId(),
                h.owner(),
                token,
                h.since(),
                h.expiresAt(),
                h.mode(),
                h.lockDelay(),
                h.revokedBy());
    }
}
