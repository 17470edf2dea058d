package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.StuckLane;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the log says of messages that are not sent: the first failure of each, its death, and nothing in between. */
class OutboxWarningTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NEVER = Duration.ofHours(1);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final Logger logger = Logger.getLogger(Outbox.class.getName());
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<Outbox> open = new ArrayList<>();
    private final String name = "outbox " + UUID.randomUUID();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            if (line.getLevel() == Level.WARNING && line.getMessage().contains(name)) {
                warnings.add(line.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        open.forEach(Outbox::close);
        backend.close();
    }

    private Outbox outbox(MessageSink sink) {
        OutboxOptions options = OutboxOptions.DEFAULT
                .withName(name)
                .withRetry(new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(4)));
        Outbox outbox = Outbox.over(backend.outbox(), sink, options);
        open.add(outbox);
        return outbox;
    }

    private void commit(Outbox outbox, Message message) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            outbox.enqueue(connection, message);
            connection.commit();
        }
    }

    private static void runUntilDead(Outbox outbox) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return !outbox.deadLetters(0, 10).isEmpty();
        });
    }

    @Test
    void theFirstFailureAndTheDeathOfAMessageAreTold() throws SQLException {
        Outbox outbox = outbox(message -> {
            throw new IllegalStateException("down\nfor a while");
        });
        commit(outbox, Message.of("points", "t/1", "secret").withId("id-7").withKey("ann"));
        runUntilDead(outbox);
        assertThat(warnings).hasSize(2);
        assertThat(warnings.get(0))
                .contains(
                        "Message 1 of",
                        name,
                        "id-7",
                        "\"points\"",
                        "\"ann\"",
                        "down for a while",
                        "tried again in PT0.001S")
                .doesNotContain("secret", "\n");
        assertThat(warnings.get(1))
                .contains("Message 1 of", "id-7", "dead letter after 4 attempts", "down for a while");

        outbox.replay(1, "me");
        runUntilDead(outbox);
        assertThat(warnings).as("a new death is told, its failures are known").hasSize(3);
    }

    @Test
    void aTargetWithoutAHandlerIsTold() throws SQLException {
        Outbox outbox = outbox(MessageHandlers.none().with("points", message -> Reply.done()));
        commit(outbox, Message.of("paynowhere", "t/1", "a"));
        outbox.runOnce();
        assertThat(warnings)
                .singleElement()
                .satisfies(line -> assertThat(line).contains("This process has no handler for \"paynowhere\""));
    }

    @Test
    void aRefusalIsToldOnceAndWhatIsNotYetWantedIsNot() throws SQLException {
        Outbox refusing = outbox(message -> Reply.refused("too late"));
        commit(refusing, Message.of("points", "t/1", "a"));
        refusing.runOnce();
        assertThat(warnings)
                .singleElement()
                .satisfies(line -> assertThat(line).contains("dead letter after 1 attempt", "refused: too late"));

        AtomicInteger calls = new AtomicInteger();
        Outbox waiting = outbox(message -> {
            if (calls.incrementAndGet() == 1) {
                return Reply.notYet("wait");
            }
            throw new IllegalStateException("broken");
        });
        commit(waiting, Message.of("points", "t/1", "b"));
        waiting.runOnce();
        assertThat(warnings).hasSize(1);
        Awaitility.await().atMost(PATIENCE).until(() -> {
            waiting.runOnce();
            return calls.get() >= 3;
        });
        assertThat(warnings).hasSize(2);
    }

    @Test
    void whatIsStuckIsListedAfterSoManyAttemptsOrSoLong() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        Outbox outbox = outbox(message -> {
            if (calls.incrementAndGet() <= 3) {
                throw new IllegalStateException("down " + calls.get());
            }
            return Reply.done();
        });
        Outbox sooner = Outbox.over(
                backend.outbox(),
                message -> Reply.done(),
                OutboxOptions.DEFAULT.withName(name).withStuck(2, NEVER));
        commit(outbox, Message.of("points", "t/1", "a").withKey("ann"));
        commit(outbox, Message.of("points", "t/1", "b").withKey("ann"));
        runUntil(outbox, () -> calls.get() == 1);
        assertThat(sooner.stuck(10)).isEmpty();
        runUntil(outbox, () -> calls.get() == 2);
        assertThat(outbox.stuck(10)).as("ten attempts, or five minutes").isEmpty();
        StuckLane lane = sooner.stuck(10).get(0);
        assertThat(lane.oldest().message().key()).contains("ann");
        assertThat(lane.lastError()).isEqualTo("down 2");
        assertThat(lane.waiting()).isEqualTo(1);
        assertThat(sooner.stuck(lane, 10)).isEmpty();
        runUntil(outbox, () -> outbox.find(2).isEmpty());
        assertThat(sooner.stuck(10)).isEmpty();
        sooner.close();
    }

    private static void runUntil(Outbox outbox, Callable<Boolean> reached) {
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return reached.call();
        });
    }
}
