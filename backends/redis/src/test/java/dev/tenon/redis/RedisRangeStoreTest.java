package dev.tenon.redis;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import org.junit.jupiter.api.AfterAll;

class RedisRangeStoreTest extends RangeStoreContract {
    private static final RedisAddress ADDRESS = RedisServer.shared();
    private static final RedisBackend HERE = PatientRedis.connect(ADDRESS.uri());
    private static final RedisBackend THERE = PatientRedis.connect(ADDRESS.uri());

    @Override
    protected RangeStore store() {
        return HERE.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return THERE.ranges();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
