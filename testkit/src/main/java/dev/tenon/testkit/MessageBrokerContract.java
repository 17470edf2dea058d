package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a broker's sink and receiver must do between an outbox and an inbox: each effect once, in the order of its key,
 * whatever is killed; and a message that can't be handled is in nobody's way.
 */
public abstract class MessageBrokerContract {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final RetryPolicy QUICK =
            new RetryPolicy(Duration.ofMillis(20), 1, Duration.ofMillis(20), OptionalInt.of(3));
    private static final RetryPolicy TOMORROW =
            new RetryPolicy(Duration.ofDays(1), 1, Duration.ofDays(1), OptionalInt.of(2));

    private final String target = "points-" + UUID.randomUUID().toString().substring(0, 8);
    private final Set<String> bad = ConcurrentHashMap.newKeySet();

    /** The broker. */
    protected abstract MessageBrokerFixture broker();

    /** A database of this test's own. */
    protected abstract DataSource connections();

    /** The outbox in that database. */
    protected abstract OutboxStore outboxStore();

    /** The barrier in that database. */
    protected abstract Barrier barrier();

    @BeforeEach
    final void makeTargetAndTable() throws Exception {
        broker().create(target);
        try (Connection connection = connections().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE effects (seq BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"
                    + " message VARCHAR(200), lane VARCHAR(200), number INT)");
        }
    }

    private record Effect(String message, String lane, int number) {}

    private List<Effect> effects() {
        List<Effect> effects = new ArrayList<>();
        try (Connection connection = connections().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT message, lane, number FROM effects ORDER BY seq")) {
            while (row.next()) {
                effects.add(new Effect(row.getString(1), row.getString(2), row.getInt(3)));
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        return effects;
    }

    /** Writes the effect first: what fails after that must not leave it behind. */
    private MessageSink handler() {
        return Inbox.over(barrier(), "points").handler(connections(), (connection, message) -> {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO effects (message, lane, number) VALUES (?, ?, ?)")) {
                insert.setString(1, message.id());
                insert.setString(2, message.key().orElse(""));
                insert.setInt(3, Integer.parseInt(message.text()));
                insert.executeUpdate();
            }
            if (bad.contains(message.id())) {
                throw new IllegalStateException("no account for " + message.id());
            }
            return message.type().equals("unwanted/1") ? Reply.refused("nobody wants it") : Reply.done();
        });
    }

    private interface Step {
        void run() throws Exception;
    }

    /** Does something while a receiver runs. */
    private void receiving(RetryPolicy retry, Step step) throws Exception {
        AutoCloseable receiver = broker().receiver(target, handler(), MessageBrokerFixture.OPTIONS.withRetry(retry));
        try {
            step.run();
        } finally {
            receiver.close();
        }
    }

    private Message message(String lane, int number) {
        return Message.of(target, "paid/1", Integer.toString(number))
                .withId(lane + "-" + number)
                .withKey(lane)
                .withHeader("source", "shop");
    }

    private static void close(MessageSink sink) throws Exception {
        if (sink instanceof AutoCloseable open) {
            open.close();
        }
    }

    private void send(Message... messages) throws Exception {
        MessageSink sink = broker().sink();
        try {
            for (Message message : messages) {
                assertThat(sink.send(message)).isEqualTo(Reply.done());
            }
        } finally {
            close(sink);
        }
    }

    private void awaitEffects(int count) throws Exception {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(effects()).hasSizeGreaterThanOrEqualTo(count));
        } catch (ConditionTimeoutException e) {
            throw new AssertionError(
                    "Not sent: " + outboxStore().stuck("outbox", 1, Duration.ofMillis(1), Optional.empty(), 10)
                            + "; dead letters: " + broker().deadLetters(target),
                    e);
        }
    }

    private void assertOnceAndInOrder(int each) {
        Map<String, List<Integer>> lanes = new TreeMap<>();
        effects()
                .forEach(effect -> lanes.computeIfAbsent(effect.lane(), key -> new ArrayList<>())
                        .add(effect.number()));
        List<Integer> wanted = IntStream.range(0, each).boxed().toList();
        assertThat(lanes).containsExactlyInAnyOrderEntriesOf(Map.of("ann", wanted, "bob", wanted, "cid", wanted));
    }

    private void enqueue(Outbox outbox, int from, int to) throws SQLException {
        for (int number = from; number < to; number++) {
            try (Connection connection = connections().getConnection()) {
                connection.setAutoCommit(false);
                for (String lane : List.of("ann", "bob", "cid")) {
                    outbox.enqueue(connection, message(lane, number));
                }
                connection.commit();
            }
            outbox.dispatch();
        }
    }

    private OutboxOptions relay() {
        RetryPolicy soon = new RetryPolicy(Duration.ofMillis(50), 2, Duration.ofMillis(500), OptionalInt.empty());
        return OutboxOptions.DEFAULT.withPollEvery(Duration.ofMillis(50)).withRetry(soon);
    }

    @Test
    final void fromTheOutboxToTheInboxOnceAndInOrderWhoeverTakesThem() throws Exception {
        MessageSink sink = broker().sink();
        try (Outbox outbox = Outbox.over(outboxStore(), sink, relay()).start()) {
            enqueue(outbox, 0, 10);
            receiving(QUICK, () -> {
                enqueue(outbox, 10, 20);
                awaitEffects(5);
            });
            receiving(QUICK, () -> awaitEffects(60));
            assertOnceAndInOrder(20);
        } finally {
            close(sink);
        }
    }

    @Test
    final void aBrokerThatIsKilledLosesNothingAndRepeatsNothing() throws Exception {
        MessageSink sink = broker().hastySink();
        try (Outbox outbox = Outbox.over(outboxStore(), sink, relay()).start()) {
            receiving(QUICK, () -> killWhileUnderWay(outbox, sink));
            assertOnceAndInOrder(30);
        } finally {
            close(sink);
        }
    }

    private void killWhileUnderWay(Outbox outbox, MessageSink sink) throws Exception {
        enqueue(outbox, 0, 10);
        awaitEffects(3);
        enqueue(outbox, 10, 20);
        broker().kill();
        enqueue(outbox, 20, 30);
        // Of an outcome that may be unknown: one that the outbox sends as well.
        assertThatThrownBy(() -> sink.send(message("ann", 0)))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining(target);
        assertThatThrownBy(() -> receiving(QUICK, () -> {})).isInstanceOf(BackendUnavailableException.class);
        broker().restart();
        awaitEffects(90);
    }

    @Test
    final void aMessageThatComesAgainChangesNothing() throws Exception {
        send(message("ann", 1), message("ann", 1), message("ann", 1), message("ann", 2));
        receiving(QUICK, () -> {
            awaitEffects(2);
            assertThat(effects()).containsExactly(new Effect("ann-1", "ann", 1), new Effect("ann-2", "ann", 2));
        });
    }

    @Test
    final void aMessageThatFailsHoldsBackItsKeyAndNoOther() throws Exception {
        bad.add("ann-1");
        receiving(TOMORROW, () -> {
            send(message("ann", 1), message("ann", 2), message("bob", 1), message("bob", 2));
            awaitEffects(2);
            assertThat(effects()).containsExactly(new Effect("bob-1", "bob", 1), new Effect("bob-2", "bob", 2));
        });
        bad.clear();
        receiving(TOMORROW, () -> {
            awaitEffects(4);
            assertThat(effects().subList(2, 4))
                    .containsExactly(new Effect("ann-1", "ann", 1), new Effect("ann-2", "ann", 2));
        });
    }

    @Test
    final void whatCanNotBeHandledIsADeadLetterAndCanBeReplayed() throws Exception {
        bad.add("ann-1");
        receiving(QUICK, () -> {
            send(message("ann", 1), message("ann", 2));
            awaitEffects(1);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !broker().deadLetters(target).isEmpty());
            DeadLetter dead = broker().deadLetters(target).get(0);
            assertThat(dead.id()).contains("ann-1");
            assertThat(dead.from()).isEqualTo(target);
            assertThat(dead.text()).isEqualTo("1");
            assertThat(dead.reason()).isEqualTo("no account for ann-1");
            assertThat(dead.history()).hasSize(3);
            assertThat(dead.history().get(2)).contains("attempt 3 of points: no account for ann-1");

            // Replayed too early: its history goes on.
            assertThat(broker().replay(target, 10, "eve")).isEqualTo(1);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> !broker().deadLetters(target).isEmpty());
            assertThat(broker().deadLetters(target).get(0).history())
                    .hasSize(7)
                    .anyMatch(line -> line.endsWith("replayed by eve"));

            bad.clear();
            assertThat(broker().replay(target, 10, "eve")).isEqualTo(1);
            awaitEffects(2);
            assertThat(effects()).containsExactly(new Effect("ann-2", "ann", 2), new Effect("ann-1", "ann", 1));
            assertThat(broker().deadLetters(target)).isEmpty();
            assertThat(broker().replay(target, 10, "eve")).isZero();
        });
    }

    @Test
    final void whatIsRefusedIsADeadLetterAtOnceAndHasNoEffect() throws Exception {
        Message unwanted = Message.of(target, "unwanted/1", "7").withId("ann-7").withKey("ann");
        receiving(TOMORROW, () -> {
            send(unwanted, message("ann", 8));
            awaitEffects(1);
            assertThat(effects()).containsExactly(new Effect("ann-8", "ann", 8));
            assertThat(broker().deadLetters(target))
                    .singleElement()
                    .satisfies(dead -> assertThat(dead.reason()).isEqualTo("refused: nobody wants it"));
        });
    }

    @Test
    final void whatIsNotThereIsNamed() throws Exception {
        String nowhere = "nowhere-" + UUID.randomUUID().toString().substring(0, 8);
        MessageSink hasty = broker().hastySink();
        try {
            assertThatThrownBy(() -> hasty.send(Message.of(nowhere, "paid/1", "1")))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining(nowhere);
        } finally {
            close(hasty);
        }
        MessageSink sink = broker().sink();
        try {
            assertThat(sink.send(message("ann", 1).withHeader("tenon-id", "x"))).isInstanceOf(Reply.Refused.class);
            assertThat(sink.send(message("ann", 1))).isEqualTo(Reply.done());
        } finally {
            close(sink);
        }
        ConsumerOptions options = MessageBrokerFixture.OPTIONS;
        assertThatThrownBy(() -> broker().receiver(nowhere, handler(), options))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(nowhere);
        assertThatThrownBy(() -> broker().receiver(target, handler(), options.withDeadSuffix("-nowhere")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(target + "-nowhere");
    }
}
