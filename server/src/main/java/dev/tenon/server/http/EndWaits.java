package dev.tenon.server.http;

import dev.tenon.server.service.BlockingCalls;
import dev.tenon.server.tx.TransactionService;
import dev.tenon.server.tx.Watch;
import dev.tenon.tx.TransactionRecord;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Requests that wait for the end of a transaction, without a thread each. The end is told by whoever drives it in this
 * server; in case that is another one, the log is looked at as well, ever more seldom. Thread-safe.
 */
final class EndWaits {
    private static final long LOOK_FIRST_MILLIS = 20;
    private static final long LOOK_MAX_MILLIS = 1_000;

    private final Vertx vertx;
    private final TransactionService service;
    private final BlockingCalls calls;

    EndWaits(Vertx vertx, TransactionService service, BlockingCalls calls) {
        this.vertx = vertx;
        this.service = service;
        this.calls = calls;
    }

    /** Whether there is nothing to wait for. */
    static boolean rests(TransactionRecord tx) {
        return tx.state().isFinal() || tx.suspended().isPresent();
    }

    /**
     * Waits until a transaction has ended or is suspended, or patience has.
     *
     * @param gone completes when nobody hears the answer any more
     * @return the transaction as it is then
     */
    Future<TransactionRecord> until(TransactionRecord begun, Duration patience, Future<Void> gone) {
        if (rests(begun)) {
            return Future.succeededFuture(begun);
        }
        Promise<TransactionRecord> promise = Promise.promise();
        Watch watch = service.watch(begun.gid());
        watch.told().whenComplete((tx, failure) -> {
            if (failure == null) {
                promise.tryComplete(tx);
            } else {
                promise.tryFail(failure);
            }
        });
        gone.onComplete(v -> promise.tryComplete(begun));
        look(new Look(begun, promise, System.nanoTime() + patience.toNanos()), LOOK_FIRST_MILLIS);
        return promise.future().onComplete(v -> watch.close());
    }

    private record Look(TransactionRecord begun, Promise<TransactionRecord> promise, long endNanos) {}

    private void look(Look look, long pauseMillis) {
        if (look.promise().future().isComplete()) {
            return;
        }
        calls.run(() -> service.require(look.begun().gid())).onComplete(read -> {
            long leftMillis = (look.endNanos() - System.nanoTime()) / 1_000_000;
            if (read.failed()) {
                look.promise().tryFail(read.cause());
            } else if (rests(read.result()) || leftMillis <= 0) {
                look.promise().tryComplete(read.result());
            } else {
                vertx.setTimer(
                        Math.max(1, Math.min(leftMillis, pauseMillis)),
                        id -> look(look, Math.min(LOOK_MAX_MILLIS, 2 * pauseMillis)));
            }
        });
    }
}
