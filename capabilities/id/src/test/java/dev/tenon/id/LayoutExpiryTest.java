package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** That a layout says when it ends, long before it does. */
class LayoutExpiryTest {
    private static final IdLayout BAIDU = IdLayout.baidu();
    private static final Instant END = BAIDU.expiry();

    @Test
    void saysHowLongItLasts() {
        assertThat(BAIDU.lifetimeLeft(END.minus(Duration.ofDays(3)))).isEqualTo(Duration.ofDays(3));
        assertThat(BAIDU.lifetimeLeft(END.plusSeconds(1))).isEqualTo(Duration.ofSeconds(-1));
        assertThat(BAIDU.expiresWithin(Duration.ofDays(3), END.minus(Duration.ofDays(3))))
                .isFalse();
        assertThat(BAIDU.expiresWithin(
                        Duration.ofDays(3), END.minus(Duration.ofDays(3)).plusMillis(1)))
                .isTrue();
        assertThat(BAIDU.expiresWithin(Duration.ZERO, END)).isFalse();
        assertThat(BAIDU.expiresWithin(Duration.ZERO, END.plusMillis(1))).isTrue();
    }

    @Test
    void reportsInOneLine() {
        assertThat(IdLayout.twitter().expiryReport(Instant.parse("2026-11-21T12:00:00Z")))
                .isEqualTo("IDs of this layout end at 2080-07-10T17:30:30.209Z (in 19590 days); until then 1024 workers"
                        + " of 4096000 IDs a second each (unit PT0.001S, time 41, datacenter 5, worker 5, sequence 12,"
                        + " epoch 2010-11-04T01:42:54.657Z)");
        assertThat(BAIDU.expiryReport(END.plus(Duration.ofDays(7)))).contains("(expired, 7 days ago)");
    }

    @Test
    void aGeneratorWarnsOnceWhenItIsBuilt() {
        JumpyClock clock = new JumpyClock(END.minus(Duration.ofDays(300)));
        List<String> logged = logged(
                () -> SnowflakeGenerator.create(BAIDU, WorkerId.fixed(1, clock)).nextId());
        assertThat(logged).singleElement().asString().contains("end at " + END, "in 300 days");
    }

    @Test
    void nobodyIsWarnedTooEarly() {
        JumpyClock early = new JumpyClock(END.minus(Duration.ofDays(366)));
        assertThat(logged(() -> SnowflakeGenerator.create(BAIDU, WorkerId.fixed(1, early))))
                .isEmpty();
        JumpyClock late = new JumpyClock(END.minus(Duration.ofDays(30)));
        assertThat(logged(() -> build(late, Duration.ofDays(29)))).isEmpty();
        assertThat(logged(() -> build(late, Duration.ofDays(31)))).hasSize(1);
        assertThat(logged(() -> build(late, Duration.ZERO))).isEmpty();
    }

    @Test
    void anExpiredLayoutIsRefused() {
        JumpyClock after = new JumpyClock(END);
        assertThatThrownBy(() -> build(after, Duration.ZERO))
                .isInstanceOf(RangeExhaustedException.class)
                .hasMessageContaining("ended at " + END);
    }

    private static void build(JumpyClock clock, Duration warnAhead) {
        SnowflakeGenerator.builder(BAIDU, WorkerId.fixed(1, clock))
                .warnAhead(warnAhead)
                .build();
    }

    private static List<String> logged(Runnable action) {
        List<String> warnings = new ArrayList<>();
        Logger logger = Logger.getLogger(SnowflakeGenerator.class.getName());
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                assertThat(entry.getLevel()).isEqualTo(Level.WARNING);
                warnings.add(entry.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            action.run();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
        }
        return warnings;
    }
}
