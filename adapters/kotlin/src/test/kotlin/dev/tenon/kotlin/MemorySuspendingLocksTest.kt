package dev.tenon.kotlin

import dev.tenon.lock.Locks
import dev.tenon.memory.MemoryBackend
import org.junit.jupiter.api.AfterEach

class MemorySuspendingLocksTest : SuspendingLocksScenario() {
    private val backend = MemoryBackend.create()
    override val here: Locks = backend.locks()
    override val there: Locks = Locks.over(backend.lockStore())

    @AfterEach
    fun close() {
        there.close()
        backend.close()
    }
}
