package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.TimeSource;
import java.lang.reflect.Proxy;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How often a call is tried that others are in the way of, by how long each attempt takes. */
class SqlCallsTest {
    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID();

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));
    /** That clock, on which pauses pass at once. */
    private final TimeSource time = (TimeSource) Proxy.newProxyInstance(
            TimeSource.class.getClassLoader(), new Class<?>[] {TimeSource.class}, (proxy, method, arguments) -> {
                if (method.getName().equals("park")) {
                    clock.advance((Duration) arguments[0]);
                    return null;
                }
                return method.invoke(clock, arguments);
            });

    private final LinkPool links =
            new LinkPool(() -> new Link(DriverManager.getConnection(URL)), 1, Duration.ofSeconds(10), time);
    private final Dialect dialect = Dialect.ofUrl(URL);
    private final SqlCalls sql = new SqlCalls(links, dialect, Schema.notNeeded(dialect), time);

    @AfterEach
    void close() {
        links.close();
    }

    @Test
    void anAttemptThatWasHeldUpIsNotTheLast() {
        assertThat(attemptsOf(Duration.ofMinutes(1))).isEqualTo(3);
    }

    @Test
    void attemptsThatWaitForALockEndSoon() {
        assertThat(attemptsOf(Duration.ofSeconds(1))).isBetween(3, 6);
    }

    private int attemptsOf(Duration each) {
        AtomicInteger attempts = new AtomicInteger();
        assertThatThrownBy(() -> sql.run((link, doubt) -> {
                    attempts.incrementAndGet();
                    clock.advance(each);
                    throw new SQLException("others hold it", "40001");
                }))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("after " + attempts + " attempts");
        return attempts.get();
    }
}
