package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.faults.LockHistoryContract;
import org.junit.jupiter.api.AfterEach;

class RedisLockHistoryTest extends LockHistoryContract {
    private final RedisAddress address = RedisServer.shared();
    private final RedisBackend here = PatientRedis.connect(address.uri());
    private final RedisBackend there = PatientRedis.connect(address.uri());

    @Override
    protected LockStore store() {
        return here.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return there.lockStore();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
