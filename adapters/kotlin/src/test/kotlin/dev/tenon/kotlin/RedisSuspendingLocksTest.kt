package dev.tenon.kotlin

import dev.tenon.lock.Locks
import dev.tenon.redis.RedisBackend
import dev.tenon.testkit.RedisServer
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.TestInstance

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisSuspendingLocksTest : SuspendingLocksScenario() {
    private val database = RedisServer.shared().uri()
    private val one = RedisBackend.connect(database)
    private val other = RedisBackend.connect(database)
    override val here: Locks = one.locks()
    override val there: Locks = other.locks()

    @AfterAll
    fun close() {
        one.close()
        other.close()
    }
}
