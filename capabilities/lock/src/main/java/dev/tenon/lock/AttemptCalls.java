package dev.tenon.lock;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Release;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one attempt to get a lock that the store has not answered yet, those that undo it among them: when there
 * are none, the store has nothing of an attempt that was given up. Thread-safe.
 */
final class AttemptCalls {
    /**
     * How long who gave up waits for that: a store that answers does so sooner, and to one that does not nobody owes
     * more.
     */
    static final long SETTLED_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private final ReentrantLock guard = new ReentrantLock();
    private final Locks locks;
    private final String name;
    private final @Nullable Lease converts;
    private int unanswered;

    /** Of those who wait until it is 0, if any do. */
    private @Nullable CompletableFuture<Void> waitedFor;

    /**
     * @param converts the lease whose hold the attempt is to replace, if it is
     */
    AttemptCalls(Locks locks, String name, @Nullable Lease converts) {
        this.locks = locks;
        this.name = name;
        this.converts = converts;
    }

    /**
     * Makes a call.
     *
     * @param then what its end leads to: other calls, perhaps
     * @return completes after that
     */
    <T> CompletionStage<T> make(Supplier<CompletionStage<T>> call, BiConsumer<@Nullable T, @Nullable Throwable> then) {
        count(1);
        CompletionStage<T> answer;
        try {
            answer = call.get();
        } catch (RuntimeException | Error e) {
            count(-1);
            throw e;
        }
        return answer.whenComplete((value, failure) -> {
            try {
                then.accept(value, failure);
            } finally {
                count(-1);
            }
        });
    }

    /** As {@link #callOff(String, long, Runnable)}; nothing follows. */
    void callOff(String request, long untilNanos) {
        callOff(request, untilNanos, () -> {});
    }

    /**
     * Takes a request out of the queue, or gives back what it was granted.
     *
     * @param untilNanos when it can hold nothing any more
     * @param then what follows when the store has answered, for the first time
     */
    void callOff(String request, long untilNanos, Runnable then) {
        CallingOff callingOff = new CallingOff(locks, new Cancel(name, request), untilNanos, this::giveBack);
        make(callingOff::begin, (done, failure) -> then.run());
    }

    /** Gives back what was granted after all. */
    CompletionStage<?> giveBack(long token) {
        loseConverted("its conversion was granted as it was given up, and was given back");
        return make(() -> locks.release(new Release(name, token)), (done, failure) -> {});
    }

    /** Ends the lease that was to be converted, as another has taken its place. */
    void replaceConverted() {
        if (converts != null) {
            converts.replaced();
        }
    }

    /** Ends the lease that was to be converted, as the store does not have it any more; says so. */
    LeaseLostException convertedIsGone() {
        loseConverted("it was gone before it could be converted");
        String token = converts == null ? "" : " (token " + converts.storeToken() + ")";
        return new LeaseLostException("Lock \"" + name + "\"" + token + " was lost before it could be converted");
    }

    /** Ends the lease that was to be converted, if it was one. */
    void loseConverted(String reason) {
        if (converts != null) {
            converts.lose(reason);
        }
    }

    /**
     * Waits for the attempt's end. An interrupt is one, when the store has confirmed that it has nothing of the attempt
     * any more, or has not within {@link #SETTLED_NANOS_MAX}.
     */
    Optional<Lease> await(CompletableFuture<Optional<Lease>> result, Runnable abandon) throws InterruptedException {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            return result.get();
        } catch (InterruptedException e) {
            abandon.run();
            // Had it ended before it could be abandoned, then perhaps with a lease, which nobody would ever close.
            make(() -> result, (lease, failure) -> {
                if (lease != null) {
                    lease.ifPresent(held -> make(held::closeAsync, (done, late) -> {}));
                }
            });
            awaitAnswers();
            throw e;
        } catch (ExecutionException e) {
            throw Locks.unchecked(Objects.requireNonNull(e.getCause()));
        }
    }

    /**
     * Waits until no call is unanswered, or for {@link #SETTLED_NANOS_MAX}, or until the thread is interrupted once
     * more.
     */
    private void awaitAnswers() {
        try {
            answered().get(SETTLED_NANOS_MAX, TimeUnit.NANOSECONDS);
        } catch (InterruptedException | TimeoutException over) {
            // The caller learns of another interrupt by the exception for the first.
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Goes on when no call is unanswered, and after {@link #SETTLED_NANOS_MAX} at the latest. */
    void whenAnswered(Runnable next) {
        CompletableFuture<Void> answered = answered();
        if (!answered.isDone()) {
            answered = answered.copy().completeOnTimeout(null, SETTLED_NANOS_MAX, TimeUnit.NANOSECONDS);
        }
        answered.thenRun(next);
    }

    /** Completes when no call is unanswered. */
    private CompletableFuture<Void> answered() {
        guard.lock();
        try {
            if (unanswered == 0) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> answered = waitedFor;
            if (answered == null) {
                answered = new CompletableFuture<>();
                waitedFor = answered;
            }
            return answered;
        } finally {
            guard.unlock();
        }
    }

    private void count(int change) {
        CompletableFuture<Void> answered;
        guard.lock();
        try {
            unanswered += change;
            if (unanswered > 0 || waitedFor == null) {
                return;
            }
            answered = waitedFor;
            waitedFor = null;
        } finally {
            guard.unlock();
        }
        answered.complete(null);
    }
}
