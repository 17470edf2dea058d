package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class RedisServerTest {
    /** The common pool may have but one thread, and what is started here waits for what is started next. */
    private static final Executor ONE_THREAD_EACH = work -> FaultProxy.daemon("test", work);

    @Test
    void killedAndRestartedItIsEmptyOnTheSamePort() {
        try (RedisServer redis = RedisServer.start()) {
            RedisAddress address = redis.address();
            address.command("SET", "a", "1");
            redis.kill();
            assertThat(redis.running()).isFalse();
            assertThatThrownBy(() -> address.command("GET", "a")).isInstanceOf(UncheckedIOException.class);
            redis.restart();
            assertThat(redis.running()).isTrue();
            assertThat(redis.address()).isEqualTo(address);
            assertThat(address.command("GET", "a")).isEqualTo("(nil)");
        }
    }

    @Test
    void aDurableOneKeepsWhatItAcknowledged() {
        try (RedisServer redis = RedisServer.startDurable()) {
            redis.address().command("SET", "a", "1");
            redis.kill();
            redis.restart();
            assertThat(redis.address().command("GET", "a")).isEqualTo("1");
        }
    }

    @Test
    void aPausedOneAnswersOnlyOnceItGoesOn() throws Exception {
        try (RedisServer redis = RedisServer.start()) {
            redis.pause();
            CompletableFuture<String> reply =
                    CompletableFuture.supplyAsync(() -> redis.address().command("PING"), ONE_THREAD_EACH);
            assertThatThrownBy(() -> reply.get(150, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
            assertThat(redis.running()).isTrue();
            redis.resume();
            assertThat(reply.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void aPausedOneCanBeKilledRestartedAndClosed() {
        try (RedisServer redis = RedisServer.start()) {
            redis.pause();
            redis.kill();
            redis.restart();
            redis.pause();
            redis.restart();
            assertThat(redis.address().command("PING")).isEqualTo("PONG");
            redis.pause();
        }
    }

    @Test
    void closedItIsGoneForGood() {
        RedisServer redis = RedisServer.start();
        redis.close();
        redis.close();
        assertThat(redis.running()).isFalse();
        assertThatThrownBy(redis::restart).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> redis.address().command("PING")).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void sharedGivesADatabaseOfItsOwnOnOneServer() {
        RedisAddress one = RedisServer.shared();
        RedisAddress two = RedisServer.shared();
        assertThat(one.socket()).isEqualTo(two.socket());
        assertThat(one.database()).isNotEqualTo(two.database());
        one.command("SET", "a", "1");
        assertThat(two.command("GET", "a")).isEqualTo("(nil)");
        assertThat(one.command("KEYS", "*")).isEqualTo("a");
        assertThat(one.uri()).isEqualTo("redis://" + one.host() + ":" + one.port() + "/" + one.database());
    }

    @Test
    void anErrorOfRedisIsAnError() {
        assertThatThrownBy(() -> RedisServer.shared().command("NONSENSE")).hasMessageContaining("NONSENSE");
    }
}
