package dev.tenon.redis;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;

class RedisRangeStoreTest extends RangeStoreContract {
    private final RedisAddress address = RedisServer.shared();
    private final RedisBackend here = RedisBackend.connect(address.uri());
    private final RedisBackend there = RedisBackend.connect(address.uri());

    @Override
    protected RangeStore store() {
        return here.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return there.ranges();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
