package dev.tenon.kotlin

import dev.tenon.LeaseLostException
import dev.tenon.lock.Lease
import dev.tenon.lock.LockOptions
import dev.tenon.lock.LockTimeoutException
import dev.tenon.lock.Locks
import java.time.Duration.ofMillis
import java.time.Duration.ofSeconds
import java.util.UUID
import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger
import kotlin.coroutines.CoroutineContext
import kotlin.time.Duration.Companion.INFINITE
import kotlin.time.Duration.Companion.ZERO
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.TimeoutCancellationException
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitCancellation
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.awaitility.Awaitility.await
import org.junit.jupiter.api.BeforeEach
import org.junit.jupiter.api.Test

/** What coroutines may count on, on every store. */
abstract class SuspendingLocksScenario {
    /** Two processes, as the store sees them. */
    protected abstract val here: Locks
    protected abstract val there: Locks

    private var name = ""

    @BeforeEach
    fun nameAnother() {
        name = "coroutine:" + UUID.randomUUID()
    }

    @Test
    fun `of many coroutines in two processes one is inside`() {
        val inside = AtomicInteger()
        var turns = 0
        runBlocking(Dispatchers.Default) {
            repeat(100) { i ->
                launch {
                    (if (i % 2 == 0) here else there).lock(name).withLock(2.minutes) {
                        assertThat(inside.incrementAndGet()).isEqualTo(1)
                        turns++
                        yield()
                        assertThat(inside.decrementAndGet()).isZero()
                    }
                }
            }
        }
        assertThat(turns).isEqualTo(100)
    }

    @Test
    fun `tokens of those who come later are greater`() {
        val tokens = mutableListOf<Long>()
        runBlocking {
            repeat(20) { launch { here.lock(name).withLock(2.minutes) { tokens += it.token() } } }
        }
        assertThat(tokens).hasSize(20).isSorted().doesNotHaveDuplicates()
    }

    @Test
    fun `coroutines that wait need no thread`() {
        var entered = 0
        runBlocking { // one thread for all of them
            val held = there.lock(name).acquireSuspending(2.minutes)
            val waiting = List(500) { launch { here.lock(name).withLock(2.minutes) { entered++ } } }
            val other = async { here.lock("$name/other").withLock(2.minutes) { "went on" } }
            assertThat(other.await()).isEqualTo("went on")
            assertThat(entered).isZero()
            held.closeSuspending()
            waiting.forEach { it.join() }
        }
        assertThat(entered).isEqualTo(500)
    }

    @Test
    fun `a coroutine that is cancelled as it waits leaves nothing behind`() {
        there.lock(name).acquire(ofSeconds(120)).use {
            runBlocking {
                val waiter =
                    launch(Dispatchers.Default) {
                        here.lock(name).withLock(2.minutes) { error("inside") }
                    }
                awaitQueue(1)
                waiter.cancelAndJoin()
                awaitQueue(0)
            }
        }
        assertIsFree()
    }

    @Test
    fun `a lock that is granted to a coroutine that was cancelled goes back`() {
        val dispatcher = ByHand()
        val held = there.lock(name).acquire(ofSeconds(120))
        var entered = false
        var ended: Throwable? = null
        val waiter =
            CoroutineScope(dispatcher).launch {
                here.lock(name).withLock(2.minutes) { entered = true }
            }
        waiter.invokeOnCompletion { ended = it }
        dispatcher.runNext()
        awaitQueue(1)
        held.close()
        // It has the lock, and was resumed, but has had no thread yet.
        val resumed = dispatcher.next()
        assertThat(there.inspect(name).orElseThrow().holders()).hasSize(1)
        waiter.cancel()
        resumed.run()
        dispatcher.runAll()
        assertThat(entered).isFalse()
        assertThat(ended).isInstanceOf(CancellationException::class.java)
        assertIsFree()
    }

    @Test
    fun `grants and cancellations in one moment leave nothing behind`() {
        repeat(50) { round ->
            runBlocking(Dispatchers.Default) {
                val held = there.lock("$name/$round").acquireSuspending(2.minutes)
                val waiter = launch { here.lock("$name/$round").withLock(2.minutes) {} }
                yield()
                val release = launch { held.closeSuspending() }
                waiter.cancelAndJoin()
                release.join()
            }
        }
        await().atMost(ofSeconds(60)).until {
            there.list("$name/", "", 100).locks().all {
                it.holders().isEmpty() && it.queue().isEmpty()
            }
        }
    }

    @Test
    fun `a coroutine that is cancelled while it holds the lock has given it back when it ends`() {
        runBlocking {
            val entered = CompletableDeferred<Lease>()
            val holder =
                launch(Dispatchers.Default) {
                    here.lock(name).withLock(2.minutes) {
                        entered.complete(it)
                        awaitCancellation()
                    }
                }
            val lease = entered.await()
            assertThat(there.lock(name).tryAcquire()).isEmpty()
            holder.cancelAndJoin()
            assertThat(lease.state()).isEqualTo(Lease.State.RELEASED)
            assertThat(there.lock(name).tryAcquire()).isPresent().get().satisfies({ it.close() })
        }
    }

    @Test
    fun `a wait ends with its time, or with that of the coroutine`() {
        there.lock(name).acquire(ofSeconds(120)).use {
            runBlocking {
                assertThat(
                        runCatching { here.lock(name).withLock(50.milliseconds) {} }
                            .exceptionOrNull()
                    )
                    .isInstanceOf(LockTimeoutException::class.java)
                assertThat(here.lock(name).tryAcquireSuspending(50.milliseconds)).isNull()
                assertThat(
                        runCatching {
                                withTimeout(50) { here.lock(name).acquireSuspending(2.minutes) }
                            }
                            .exceptionOrNull()
                    )
                    .isInstanceOf(TimeoutCancellationException::class.java)
            }
            awaitQueue(0)
        }
        assertIsFree()
    }

    @Test
    fun `a wait of no time or without an end is refused`() {
        listOf(ZERO, INFINITE).forEach { wait ->
            assertThatThrownBy { runBlocking { here.lock(name).acquireSuspending(wait) } }
                .isInstanceOf(IllegalArgumentException::class.java)
        }
    }

    @Test
    fun `who loses the lock is cancelled with all that it launched, and told`() {
        val lock = here.lock(name, LockOptions.DEFAULT.withLease(ofSeconds(3)))
        val cancelled = AtomicInteger()
        suspend fun work(): Nothing =
            try {
                awaitCancellation()
            } finally {
                cancelled.incrementAndGet()
            }
        assertThatThrownBy {
                runBlocking {
                    lock.withLock(2.minutes) { lease ->
                        launch { work() }
                        there.evict(name, lease.token(), "test")
                        work()
                    }
                }
            }
            .isInstanceOf(LeaseLostException::class.java)
        assertThat(cancelled).hasValue(2)
    }

    @Test
    fun `work that does not suspend learns at its end that the lock was lost`() {
        val lock = here.lock(name, LockOptions.DEFAULT.withLease(ofMillis(300)).withoutRenewal())
        assertThatThrownBy {
                runBlocking {
                    lock.withLock(2.minutes) { lease ->
                        await().until { lease.state() == Lease.State.LOST }
                    }
                }
            }
            .isInstanceOf(LeaseLostException::class.java)
    }

    @Test
    fun `the lock is free when the block has failed, and its failure is the result`() {
        assertThatThrownBy { runBlocking { here.lock(name).withLock(2.minutes) { error("no") } } }
            .isInstanceOf(IllegalStateException::class.java)
            .hasMessage("no")
        assertThat(there.lock(name).tryAcquire()).isPresent().get().satisfies({ it.close() })
    }

    @Test
    fun `a semaphore lets as many in as it has permits`() {
        val inside = AtomicInteger()
        val most = AtomicInteger()
        val semaphore = here.semaphore(name, 3)
        runBlocking(Dispatchers.Default) {
            repeat(30) {
                launch {
                    semaphore.withPermits(1, 2.minutes) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max)
                        yield()
                        inside.decrementAndGet()
                    }
                }
            }
        }
        assertThat(most).hasValueBetween(1, 3)
        runBlocking {
            val two = semaphore.acquireSuspending(2, 2.minutes)
            assertThat(semaphore.tryAcquireSuspending(2, 50.milliseconds)).isNull()
            two.closeSuspending()
            two.closeSuspending()
            assertThat(semaphore.tryAcquireSuspending(3, 2.minutes)?.also { it.closeSuspending() })
                .isNotNull()
        }
    }

    private fun awaitQueue(size: Int) {
        await().atMost(ofSeconds(60)).until {
            there.inspect(name).map { it.queue().size }.orElse(0) == size
        }
    }

    /**
     * What is given back in the background is free soon; what was forgotten is renewed for as long
     * as the process lives.
     */
    private fun assertIsFree() {
        await().atMost(ofSeconds(60)).untilAsserted {
            assertThat(there.lock(name).tryAcquire()).isPresent().get().satisfies({ it.close() })
        }
    }

    /** Runs what it is given when a test says so. */
    private class ByHand : CoroutineDispatcher() {
        private val tasks = LinkedBlockingQueue<Runnable>()

        override fun dispatch(context: CoroutineContext, block: Runnable) {
            tasks.add(block)
        }

        fun next(): Runnable =
            checkNotNull(tasks.poll(60, TimeUnit.SECONDS)) { "Nothing was resumed" }

        fun runNext() = next().run()

        fun runAll() = generateSequence { tasks.poll() }.forEach { it.run() }
    }
}
