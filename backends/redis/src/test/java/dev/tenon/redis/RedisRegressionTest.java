package dev.tenon.redis;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.StoreRegressionContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A Redis that is killed, and comes back with the dump that it wrote a while ago. */
class RedisRegressionTest extends StoreRegressionContract {
    private static RedisServer server;
    private static RedisBackend redis;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        redis = PatientRedis.connect(server.address().uri());
    }

    @AfterAll
    static void stop() {
        redis.close();
        server.close();
    }

    @Override
    protected RangeStore store() {
        return redis.ranges();
    }

    @Override
    protected void save() {
        server.address().command("SAVE");
    }

    @Override
    protected void rollBack() {
        server.kill();
        server.restart();
    }
}
