/** Tenon's locks for coroutines: they wait without a thread, and end as coroutines do. */
@file:JvmName("SuspendingLocks")

package dev.tenon.kotlin

import dev.tenon.LeaseLostException
import dev.tenon.lock.DistributedLock
import dev.tenon.lock.DistributedSemaphore
import dev.tenon.lock.Lease
import dev.tenon.lock.LockTimeoutException
import java.util.concurrent.CompletionStage
import java.util.concurrent.TimeUnit
import kotlin.time.Duration
import kotlin.time.toJavaDuration
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.future.await
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext

private const val RELEASE_SECONDS_MAX = 5L

/**
 * Waits for the lock without a thread.
 *
 * If the coroutine is cancelled meanwhile, this ends at once with a
 * [kotlinx.coroutines.CancellationException]; the wait is taken back from the store, and a lock
 * that is granted in that moment is given back, both in the background.
 *
 * The lease is not bound to the coroutine: close it with [closeSuspending], or have [withLock] do
 * so.
 *
 * @param wait how long at most, more than zero and finite
 * @throws LockTimeoutException if it was not to be had in that time
 * @throws dev.tenon.BackendUnavailableException if the store can't be reached
 * @throws dev.tenon.OutcomeUnknownException if the store does not answer; what it may have granted
 *   is given back
 */
public suspend fun DistributedLock.acquireSuspending(wait: Duration): Lease =
    granted(acquireAsync(wait.toJavaDuration()))

/** [acquireSuspending], or null if the lock was not to be had in that time. */
public suspend fun DistributedLock.tryAcquireSuspending(wait: Duration): Lease? =
    try {
        acquireSuspending(wait)
    } catch (_: LockTimeoutException) {
        null
    }

/**
 * Runs [block] while the lock is held: waits for it as [acquireSuspending] does, and gives it back
 * at the end, however that comes. The coroutine, cancelled or not, goes on when the store has
 * answered that it is free, or 5 s later.
 *
 * If the lock is lost meanwhile, [block] and the coroutines that it has launched are cancelled, and
 * the result is a [LeaseLostException]; as with every cancellation, code that does not suspend is
 * not interrupted. What the lock protects should therefore still refuse a [Lease.token] smaller
 * than one that it has seen. Not reentrant.
 *
 * @param wait how long at most, more than zero and finite
 * @throws LockTimeoutException if it was not to be had in that time; [block] has not run
 * @throws LeaseLostException if it was lost before [block] had ended
 */
public suspend fun <T> DistributedLock.withLock(
    wait: Duration,
    block: suspend CoroutineScope.(Lease) -> T,
): T = holding(acquireSuspending(wait), block)

/**
 * Waits for so many permits without a thread; cancelled as [DistributedLock.acquireSuspending] is.
 *
 * @param wait how long at most, more than zero and finite
 * @throws LockTimeoutException if they were not to be had in that time
 */
public suspend fun DistributedSemaphore.acquireSuspending(permits: Int, wait: Duration): Lease =
    granted(acquireAsync(permits, wait.toJavaDuration()))

/** [acquireSuspending], or null if the permits were not to be had in that time. */
public suspend fun DistributedSemaphore.tryAcquireSuspending(permits: Int, wait: Duration): Lease? =
    try {
        acquireSuspending(permits, wait)
    } catch (_: LockTimeoutException) {
        null
    }

/** Runs [block] while so many permits are held, as [DistributedLock.withLock] does. */
public suspend fun <T> DistributedSemaphore.withPermits(
    permits: Int,
    wait: Duration,
    block: suspend CoroutineScope.(Lease) -> T,
): T = holding(acquireSuspending(permits, wait), block)

/**
 * [Lease.close] without a thread: waits for the store's answer for at most 5 s, in a cancelled
 * coroutine too. Idempotent; never throws.
 */
public suspend fun Lease.closeSuspending() {
    val told = closeAsync().handle { _, _ -> }.toCompletableFuture()
    withContext(NonCancellable) {
        told.completeOnTimeout(Unit, RELEASE_SECONDS_MAX, TimeUnit.SECONDS).await()
    }
}

private suspend fun granted(asked: CompletionStage<Lease>): Lease {
    val future = asked.toCompletableFuture()
    try {
        return future.await()
    } catch (e: Throwable) {
        // Cancelled: the wait ends; a grant that came first, and that nobody sees now, goes back.
        if (!future.cancel(false)) {
            future.thenAccept(Lease::closeAsync)
        }
        throw e
    }
}

private suspend fun <T> holding(lease: Lease, block: suspend CoroutineScope.(Lease) -> T): T {
    try {
        val result = coroutineScope {
            // Undispatched, so that it watches before the block begins, on whatever dispatcher.
            val watch = launch(start = CoroutineStart.UNDISPATCHED) { throw lease.lost().await() }
            try {
                coroutineScope { block(lease) }
            } finally {
                watch.cancel()
            }
        }
        lease.ensure(java.time.Duration.ZERO)
        return result
    } finally {
        lease.closeSuspending()
    }
}
