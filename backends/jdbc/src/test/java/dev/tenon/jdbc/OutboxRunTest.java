package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several messages of one key in one claim: one is sent after the other, and what became of them is written as one. */
class OutboxRunTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    private final JdbcBackend backend = JdbcBackend.connect(url);
    private final OutboxOptions options = OutboxOptions.DEFAULT
            .withPollEvery(Duration.ofMillis(20))
            .withRetry(new RetryPolicy(Duration.ofMillis(1), 1, Duration.ofMillis(1), OptionalInt.of(1000)));
    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Set<String> broken = ConcurrentHashMap.newKeySet();
    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger settles = new AtomicInteger();
    private final List<Outbox> open = new ArrayList<>();

    @AfterEach
    void close() {
        open.forEach(Outbox::close);
        backend.close();
    }

    private interface Settling {
        boolean settle(Settle real);
    }

    private interface Settle {
        boolean now();
    }

    private Outbox outbox(MessageSink sink, OutboxOptions with, Settling settling) {
        OutboxStore store = (OutboxStore) Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, arguments) -> {
                    Settle real = () -> {
                        try {
                            return (Boolean) method.invoke(backend.outbox(), arguments);
                        } catch (ReflectiveOperationException e) {
                            throw new IllegalStateException(e);
                        }
                    };
                    if (method.getName().equals("settle")) {
                        settles.incrementAndGet();
                        return settling.settle(real);
                    }
                    claims.addAndGet(method.getName().equals("claim") ? 1 : 0);
                    try {
                        return method.invoke(backend.outbox(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
        Outbox outbox = Outbox.over(store, sink, with);
        open.add(outbox);
        return outbox;
    }

    private Reply take(Message message) {
        if (broken.contains(message.text())) {
            throw new IllegalStateException("no way for " + message.text());
        }
        sent.add(message.text());
        return Reply.done();
    }

    private void commit(Outbox outbox, String key, String... texts) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            connection.setAutoCommit(false);
            outbox.enqueue(
                    connection,
                    Stream.of(texts)
                            .map(text -> Message.of("points", "t/1", text).withKey(key))
                            .toList());
            connection.commit();
        }
    }

    @Test
    void aRunIsOneClaimAndOneSettlement() throws SQLException {
        Outbox outbox = outbox(this::take, options, Settle::now);
        commit(outbox, "k", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
        assertThat(outbox.runOnce()).isEqualTo(10);
        assertThat(sent).containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9", "10");
        assertThat(claims).hasValue(1);
        assertThat(settles.get())
                .as("one, or two where the machine stood still")
                .isLessThanOrEqualTo(2);
    }

    @Test
    void aMessageThatFailsInTheMiddleOfARunStopsItsKeyAlone() throws SQLException {
        Outbox outbox = outbox(this::take, options, Settle::now);
        broken.add("3");
        commit(outbox, "k", "1", "2", "3", "4");
        commit(outbox, "l", "a", "b");
        outbox.runOnce();
        assertThat(sent).containsExactlyInAnyOrder("1", "2", "a", "b").containsSubsequence("1", "2");
        commit(outbox, "k", "5");
        commit(outbox, "l", "c");
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return sent.contains("c");
        });
        assertThat(sent).doesNotContain("3", "4", "5");
        broken.clear();
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return sent.contains("5");
        });
        assertThat(sent.stream().filter(text -> text.matches("\\d"))).containsExactly("1", "2", "3", "4", "5");
        assertThat(outbox.runOnce()).isZero();
    }

    @Test
    void aSettlementWhoseAnswerIsLostSendsNothingTwice() throws SQLException {
        AtomicInteger times = new AtomicInteger();
        Outbox outbox = outbox(this::take, options, real -> {
            boolean freed = real.now();
            if (times.incrementAndGet() == 1) {
                throw new OutcomeUnknownException("The connection broke", new SQLException());
            }
            return freed;
        });
        commit(outbox, "k", "1", "2", "3");
        outbox.start().dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("3"));
        commit(outbox, "k", "4", "5");
        outbox.dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("5"));
        assertThat(sent).containsExactly("1", "2", "3", "4", "5");
    }

    @Test
    void aSettlementThatIsLostSendsTheRunOnceMoreAndInItsOrder() throws SQLException {
        AtomicInteger times = new AtomicInteger();
        Outbox outbox = outbox(this::take, options.withClaim(Duration.ofSeconds(1)), real -> {
            if (times.incrementAndGet() == 1) {
                throw new BackendUnavailableException("The connection broke", new SQLException());
            }
            return real.now();
        });
        commit(outbox, "k", "1", "2", "3");
        outbox.start().dispatch();
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("3"));
        commit(outbox, "k", "4");
        Awaitility.await().atMost(PATIENCE).until(() -> sent.contains("4"));
        assertThat(sent.subList(0, 3)).containsExactly("1", "2", "3");
        assertThat(sent.subList(3, sent.size())).isSorted().contains("4").doesNotHaveDuplicates();
    }

    /** What is slow keeps no room: it gives back what it has not begun, uncounted, and goes on in its turn. */
    @Test
    void aSlowRunGivesBackWhatItHasNotBegun() throws SQLException {
        ManualClock clock = new ManualClock(Instant.EPOCH);
        MessageSink slow = message -> {
            clock.advance(Duration.ofMillis(600));
            return take(message);
        };
        Outbox outbox = outbox(slow, options.withTime(clock), Settle::now);
        commit(outbox, "k", "1", "2", "3", "4", "5");
        assertThat(outbox.runOnce()).isEqualTo(5);
        assertThat(sent).containsExactly("1", "2");
        assertThat(outbox.find(3)).map(OutboxEntry::attempts).contains(0);
        commit(outbox, "l", "a");
        Awaitility.await().atMost(PATIENCE).until(() -> {
            outbox.runOnce();
            return sent.contains("5") && sent.contains("a");
        });
        assertThat(sent.stream().filter(text -> !text.equals("a"))).containsExactly("1", "2", "3", "4", "5");
    }
}
