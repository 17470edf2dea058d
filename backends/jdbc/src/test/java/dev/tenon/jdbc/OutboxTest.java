package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of messages between the commit and the sink. */
class OutboxTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration NEVER = Duration.ofHours(1);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final OutboxOptions options = OutboxOptions.DEFAULT
            .withPollEvery(NEVER)
            .withRetry(new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(3)));
    private final Queue<String> sent = new ConcurrentLinkedQueue<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final List<Outbox> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Outbox::close);
        backend.close();
    }

    private Outbox outbox(MessageSink sink, OutboxOptions with) {
        Outbox outbox = Outbox.over(backend.outbox(), sink, with);
        open.add(outbox);
        return outbox;
    }

    /** Takes every message but those that are said to break. */
    private Reply take(Message message) {
        if (broken.contains(message.text())) {
            throw new IllegalStateException("no way for " + message.text());
        }
        sent.add(message.text());
        return Reply.done();
    }

    private void commit(Outbox outbox, Message... messages) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (Message message : messages) {
                outbox.enqueue(connection, message);
            }
            connection.commit();
        }
    }

    private static Message message(String text) {
        return Message.of("points", "t/1", text);
    }

    private void runUntilQuiet(Outbox outbox) {
        Awaitility.await().atMost(PATIENCE).until(() -> outbox.runOnce() == 0);
    }

    @Test
    void whatIsCommittedIsSentOnceAndThenGone() throws SQLException {
        Outbox outbox = outbox(this::take, options);
        commit(outbox, message("a"), message("b").withKey("k"), message("c").withKey("k"));
        assertThat(sent).isEmpty();
        assertThat(outbox.runOnce()).isEqualTo(3);
        assertThat(sent).containsExactlyInAnyOrder("a", "b", "c").containsSubsequence("b", "c");
        assertThat(outbox.runOnce()).isZero();
        assertThat(outbox.find(1)).isEmpty();
    }

    @Test
    void aHintSendsAtOnce() throws SQLException {
        Outbox outbox = outbox(this::take, options).start();
        commit(outbox, message("a"));
        outbox.dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a"));
    }

    @Test
    void aMessageThatCommitsIsSentAtOnceAndOneThatIsRolledBackIsNot() throws SQLException {
        Outbox outbox = outbox(this::take, options).start();
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            outbox.enqueue(connection, message("never"));
            connection.rollback();
            outbox.commit(connection, message("a"));
            outbox.commit(connection, message("b").withKey("k"));
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> outbox.commit(connection, message("refused")))
                    .isInstanceOf(IllegalStateException.class);
        }
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a") && sent.contains("b"));
        Awaitility.await().atMost(PATIENCE).until(() -> outbox.find(2).isEmpty());
        assertThat(sent).containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void whoIsNotStartedCommitsAMessageForOthers() throws SQLException {
        Outbox writer = outbox(message -> Reply.refused("not mine"), options);
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            writer.commit(connection, message("a"));
        }
        assertThat(outbox(this::take, options).runOnce()).isEqualTo(1);
        assertThat(sent).containsExactly("a");
    }

    @Test
    void aMessageThatCommitsAndFailsIsTriedAgain() throws SQLException {
        Outbox outbox =
                outbox(this::take, options.withPollEvery(Duration.ofMillis(20))).start();
        broken.add("a");
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            outbox.commit(connection, message("a"));
        }
        Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> !outbox.deadLetters(0, 10).isEmpty());
        assertThat(outbox.deadLetters(0, 10).get(0).attempts()).isEqualTo(3);
    }

    @Test
    void messagesThatCommitLeaveRoomForThoseThatAreFound() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        Outbox outbox = outbox(
                        message -> {
                            if (message.text().startsWith("slow")) {
                                slow.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                            }
                            return take(message);
                        },
                        options.withBatch(4, 8))
                .start();
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < 3; i++) {
                outbox.commit(connection, message("slow" + i));
            }
            outbox.commit(connection, message("a")); // no room of its own any more: found, and sent
        }
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a"));
        slow.countDown();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.size() == 4);
    }

    @Test
    void withoutAHintTheNextLookFindsIt() throws SQLException {
        Outbox outbox =
                outbox(this::take, options.withPollEvery(Duration.ofMillis(20))).start();
        commit(outbox, message("a"));
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a"));
    }

    @Test
    void oneThatNeverArrivesDiesAndHoldsBackItsKeyAlone() throws SQLException {
        Outbox outbox = outbox(this::take, options);
        broken.add("a1");
        commit(
                outbox,
                message("a1").withKey("a"),
                message("a2").withKey("a"),
                message("b1").withKey("b"));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return !outbox.deadLetters(0, 10).isEmpty();
        });
        commit(outbox, message("a3").withKey("a"), message("b2").withKey("b"));
        runUntilQuiet(outbox);
        assertThat(sent).containsExactly("b1", "b2");
        OutboxEntry dead = outbox.deadLetters(0, 10).get(0);
        assertThat(dead.attempts()).isEqualTo(3);
        assertThat(dead.history()).extracting(TransactionEvent::what).containsExactly("failed", "failed", "dead");
        assertThat(dead.history()).extracting(TransactionEvent::detail).containsOnly("no way for a1");

        broken.clear();
        assertThat(outbox.replay(dead.number(), "the operator")).isTrue();
        runUntilQuiet(outbox);
        assertThat(sent).containsExactly("b1", "b2", "a1", "a2", "a3");
        assertThat(outbox.deadLetters(0, 10)).isEmpty();
    }

    @Test
    void whatIsRefusedIsADeadLetterAtOnce() throws SQLException {
        Outbox outbox = outbox(message -> Reply.refused("too late"), options);
        commit(outbox, message("a"));
        outbox.runOnce();
        OutboxEntry dead = outbox.deadLetters(0, 10).get(0);
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(outbox.discard(dead.number(), "the operator")).isTrue();
        assertThat(outbox.deadLetters(0, 10)).isEmpty();
        assertThat(outbox.find(dead.number())).as("kept until the purge").isPresent();
        assertThat(outbox.purge()).isEqualTo(1);
        assertThat(outbox.find(dead.number())).isEmpty();
    }

    @Test
    void handlersTakeTheMessagesOfTheirTarget() throws SQLException {
        Outbox outbox = outbox(MessageHandlers.none().with("points", this::take), options);
        commit(outbox, message("a"), Message.of("nobody", "t/1", "b"));
        outbox.runOnce();
        assertThat(sent).containsExactly("a");
        assertThat(outbox.find(2).orElseThrow().history())
                .extracting(TransactionEvent::detail)
                .containsExactly("This process has no handler for \"nobody\"");
    }

    @Test
    void aSlowMessageHoldsUpItsKeyAlone() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        Outbox outbox = outbox(
                        message -> {
                            if (message.text().equals("a1")) {
                                slow.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                            }
                            return take(message);
                        },
                        options)
                .start();
        commit(
                outbox,
                message("a1").withKey("a"),
                message("a2").withKey("a"),
                message("b1").withKey("b"));
        outbox.dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("b1"));
        commit(outbox, message("a3").withKey("a"), message("c"));
        outbox.dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("c"));
        assertThat(sent).containsExactly("b1", "c");
        slow.countDown();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a3"));
        assertThat(sent).containsExactly("b1", "c", "a1", "a2", "a3");
    }

    @Test
    void noConnectionIsHeldDuringASend() throws SQLException {
        AtomicInteger held = new AtomicInteger();
        List<Integer> seen = new ArrayList<>();
        try (JdbcBackend pooled = JdbcBackend.over(counting(held))) {
            Outbox outbox = Outbox.over(
                    pooled.outbox(),
                    message -> {
                        seen.add(held.get());
                        return Reply.done();
                    },
                    options);
            open.add(outbox);
            commit(outbox, message("1").withKey("k"));
            outbox.runOnce();
        }
        assertThat(seen).containsExactly(0);
    }

    private DataSource counting(AtomicInteger held) {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(url);
        return proxy(DataSource.class, (method, arguments) -> {
            Object answer = method.invoke(source, arguments);
            if (!method.getName().equals("getConnection")) {
                return answer;
            }
            held.incrementAndGet();
            return proxy(Connection.class, (call, values) -> {
                if (call.getName().equals("close")) {
                    held.decrementAndGet();
                }
                return call.invoke(answer, values);
            });
        });
    }

    private interface Call {
        Object on(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                OutboxTest.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                    try {
                        return call.on(method, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @Test
    void aBacklogIsWorkedOffBatchByBatch() throws SQLException {
        Outbox outbox = outbox(this::take, options).start();
        int count = 400;
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            for (int i = 0; i < count; i += 100) {
                List<Message> batch = new ArrayList<>();
                for (int j = i; j < i + 100; j++) {
                    batch.add(message(String.valueOf(j)).withKey("k" + j % 7));
                }
                outbox.enqueue(connection, batch);
            }
            connection.commit();
        }
        outbox.dispatch();
        Awaitility.await().atMost(PATIENCE.multipliedBy(2)).until(() -> sent.size() == count);
        for (int key = 0; key < 7; key++) {
            int remainder = key;
            assertThat(sent.stream().map(Integer::valueOf).filter(i -> i % 7 == remainder))
                    .isSorted();
        }
    }

    @Test
    void anErrorOfTheSinkIsOneMessagesAndHoldsUpNoOther() throws SQLException {
        MessageSink sink = message -> {
            if (message.text().equals("deep")) {
                throw new StackOverflowError();
            }
            return take(message);
        };
        Outbox outbox = outbox(
                sink,
                options.withRetry(new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(2))));
        commit(outbox, message("deep"));
        for (int i = 0; i < 200; i++) {
            commit(outbox, message("m" + i));
        }
        assertTimeoutPreemptively(PATIENCE, () -> runUntilQuiet(outbox));
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return !outbox.deadLetters(0, 10).isEmpty();
        });
        assertThat(outbox.deadLetters(0, 10))
                .singleElement()
                .satisfies(dead -> assertThat(dead.toString()).contains("StackOverflowError"));
        assertThat(sent).hasSize(200);
    }

    @Test
    void aLookThatFailsIsNotTheLast() throws SQLException {
        AtomicInteger looks = new AtomicInteger();
        OutboxStore store = (OutboxStore) Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("claim") && looks.incrementAndGet() <= 2) {
                        throw looks.get() == 1
                                ? new IllegalStateException("no route")
                                : new OutOfMemoryError("threads");
                    }
                    return method.invoke(backend.outbox(), arguments);
                });
        Outbox outbox = Outbox.over(store, this::take, options.withPollEvery(Duration.ofMillis(10)));
        open.add(outbox.start());
        commit(outbox, message("a"));
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("a"));
    }
}
