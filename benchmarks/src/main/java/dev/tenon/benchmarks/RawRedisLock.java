package dev.tenon.benchmarks;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The two commands that everybody writes first: {@code SET name owner NX PX}, and a script that deletes the key if it
 * is the owner's. No renewal, no token, no queue, no push: who does not get the lock tries again a millisecond later.
 * The least that a lock on Redis can cost when nobody else wants it.
 */
final class RawRedisLock implements LockContender {
    static final String TITLE = "two raw commands";

    private static final String DELETE_IF_OWNED =
            "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) else return 0 end";
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;
    private final RedisCommands<String, String> redis;
    private final String script;

    RawRedisLock(String uri) {
        this.client = RedisClient.create(uri);
        this.connection = client.connect();
        this.redis = connection.sync();
        this.script = redis.scriptLoad(DELETE_IF_OWNED);
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public Hold acquire(String name) throws InterruptedException {
        String owner = UUID.randomUUID().toString();
        while (redis.set(name, owner, SetArgs.Builder.nx().px(30_000)) == null) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        return () -> redis.evalsha(script, ScriptOutputType.INTEGER, new String[] {name}, owner);
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
    }
}
