package dev.tenon.kotlin

import dev.tenon.lock.FencingGuard
import dev.tenon.lock.Locks
import dev.tenon.memory.MemoryBackend
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.Test

/** What the page shows. */
class StockTest {
    private val guard = FencingGuard.remembering(10)
    private var left = 20

    private suspend fun sellOne(token: Long): Int {
        guard.check("stock:42", token)
        val before = left
        yield() // as a call to a database would
        left = before - 1
        return left
    }

    // tag::withLock[]
    suspend fun sell(locks: Locks): Int =
        locks.lock("stock:42").withLock(30.seconds) { lease -> // suspends: no thread waits
            sellOne(lease.token()) // the shelf refuses a smaller token than it has seen
        }

    // end::withLock[]

    // tag::acquire[]
    suspend fun sellWithin(wait: Duration, locks: Locks): Int? {
        val lease = locks.lock("stock:42").tryAcquireSuspending(wait) ?: return null
        try {
            return sellOne(lease.token())
        } finally {
            lease.closeSuspending() // in a cancelled coroutine, too
        }
    }

    // end::acquire[]

    @Test
    fun `sells each once`() {
        MemoryBackend.create().use { backend ->
            runBlocking {
                repeat(15) { launch { sell(backend.locks()) } }
                repeat(4) {
                    launch { assertThat(sellWithin(60.seconds, backend.locks())).isNotNull() }
                }
            }
            assertThat(left).isEqualTo(1)
            backend.locks().lock("stock:42").acquire(java.time.Duration.ofSeconds(60)).use {
                assertThat(runBlocking { sellWithin(50.milliseconds, backend.locks()) }).isNull()
            }
        }
    }
}
