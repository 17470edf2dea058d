package dev.tenon.server.service;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Bounds what answers with many parts hold in memory while they are made: many clients who ask for much at the same
 * time are served one after the other, or told to come again. Who asks for little is never refused. Thread-safe.
 */
public final class Bulk {
    private static final int LITTLE = 100;
    private static final int HEAP_SHARE = 16;

    private final AtomicLong inHand = new AtomicLong();
    private final long max;

    /**
     * A share of the heap, counted in parts.
     *
     * @param partBytes what a part takes in memory, about
     */
    public Bulk(int partBytes) {
        this.max = Runtime.getRuntime().maxMemory() / HEAP_SHARE / partBytes;
    }

    /** Makes an answer with so many parts, or refuses to. */
    public <T> Future<T> of(int parts, Supplier<Future<T>> made) {
        if (parts <= LITTLE) {
            return made.get();
        }
        if (inHand.addAndGet(parts) > max && inHand.get() != parts) {
            inHand.addAndGet(-parts);
            return Future.failedFuture(new ProblemException(
                    ProblemType.OVERLOADED,
                    "Too many large requests at the same time; nothing happened. Request less at once, or retry "
                            + "later."));
        }
        return made.get().onComplete(v -> inHand.addAndGet(-parts));
    }
}
