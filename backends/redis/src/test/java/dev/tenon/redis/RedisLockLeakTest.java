package dev.tenon.redis;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockLeakContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import org.junit.jupiter.api.AfterEach;

/** One fence a bucket, whatever the number of names. */
class RedisLockLeakTest extends LockLeakContract {
    private static final int BUCKETS = 256;

    private final RedisAddress address = RedisServer.shared();
    private final RedisBackend redis = PatientRedis.connect(address.uri());

    @AfterEach
    void close() {
        redis.close();
    }

    @Override
    protected LockStore store() {
        return redis.lockStore();
    }

    /** Not DBSIZE: Redis removes what has expired at its leisure, but shows it to nobody. */
    @Override
    protected long leftBehind() {
        return address.command("KEYS", "*")
                .lines()
                .filter(key -> !key.isEmpty() && !key.endsWith("}:fence"))
                .count();
    }

    @Override
    protected long fences() {
        return address.command("KEYS", "{tenon:*}:fence").lines().count();
    }

    @Override
    protected long fencesMax() {
        return BUCKETS;
    }
}
