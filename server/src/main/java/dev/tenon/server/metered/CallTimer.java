package dev.tenon.server.metered;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.server.observe.Observer;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Times the calls of one part of the store, and tells an observer how each ended. Thread-safe. */
final class CallTimer {
    private final String part;
    private final Observer observer;

    /**
     * A timer of one part.
     *
     * @param part what the names of its calls begin with, such as {@code locks}
     */
    CallTimer(String part, Observer observer) {
        this.part = part;
        this.observer = observer;
    }

    /** Times a call that returns its answer. */
    <T> T time(String method, Supplier<T> call) {
        return time(method, call, answer -> {});
    }

    /**
     * Times a call that returns its answer.
     *
     * @param counter is given the answer, if the call did not fail
     */
    <T> T time(String method, Supplier<T> call, Consumer<T> counter) {
        long began = System.nanoTime();
        T answer;
        try {
            answer = call.get();
        } catch (RuntimeException e) {
            ended(method, began, e);
            throw e;
        }
        ended(method, began, null);
        counter.accept(answer);
        return answer;
    }

    /** Times a call that answers nothing. */
    void run(String method, Runnable call) {
        long began = System.nanoTime();
        try {
            call.run();
        } catch (RuntimeException e) {
            ended(method, began, e);
            throw e;
        }
        ended(method, began, null);
    }

    /** Times a call until its stage completes. */
    <T> CompletionStage<T> stage(String method, Supplier<CompletionStage<T>> call) {
        return stage(method, call, answer -> {});
    }

    /**
     * Times a call until its stage completes.
     *
     * @param counter is given the answer, if the call did not fail, before the returned stage completes
     */
    <T> CompletionStage<T> stage(String method, Supplier<CompletionStage<T>> call, Consumer<T> counter) {
        long began = System.nanoTime();
        CompletionStage<T> stage;
        try {
            stage = call.get();
        } catch (RuntimeException e) {
            ended(method, began, e);
            throw e;
        }
        return stage.whenComplete((answer, failure) -> {
            ended(method, began, failure);
            if (failure == null) {
                counter.accept(answer);
            }
        });
    }

    private void ended(String method, long began, @Nullable Throwable failure) {
        observer.stored(part + "." + method, outcome(failure), Duration.ofNanos(System.nanoTime() - began));
    }

    private static String outcome(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null) {
            return "ok";
        }
        if (cause instanceof OutcomeUnknownException) {
            return "unknown";
        }
        return cause instanceof BackendUnavailableException ? "unavailable" : "refused";
    }
}
