package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.TransactionStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Which writes of the log wait until PostgreSQL has them where they survive a crash. It is told to wait for a standby
 * that does not exist: whoever waits does so until it is told otherwise.
 */
class PostgresTransactionEndTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final PostgresServer SERVER = PostgresServer.start();
    private static final SqlAddress ADDRESS = SERVER.address();

    private final JdbcBackend backend = JdbcBackend.connect(ADDRESS.url(), ADDRESS.user(), ADDRESS.password());
    private final TransactionStore store = backend.transactions();

    @AfterEach
    void close() {
        backend.close();
    }

    @AfterAll
    static void stop() {
        SERVER.close();
    }

    @Test
    void theEndOfWhatIsDecidedDoesNotWaitForTheDisk() throws Exception {
        for (TransactionState decision : List.of(TransactionState.COMMITTING, TransactionState.ABORTING)) {
            TransactionRecord decided = write(begin(), decision, List.of());
            TransactionState end =
                    decision == TransactionState.COMMITTING ? TransactionState.COMMITTED : TransactionState.ABORTED;
            durabilityNeeds("nobody");
            CompletableFuture<TransactionRecord> ended =
                    CompletableFuture.supplyAsync(() -> write(decided, end, List.of()));

            assertThat(ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).state())
                    .isEqualTo(end);
            assertThat(store.find(decided.gid()).orElseThrow().state()).isEqualTo(end);
            durabilityNeeds("");
        }
    }

    @Test
    void aDecisionWaitsAndSoDoesAnEndThatIsOne() throws Exception {
        TransactionRecord undecided = begin();
        assertWaits(undecided, TransactionState.COMMITTING, List.of());
        assertWaits(begin(), TransactionState.ABORTED, List.of());
        TransactionEvent event = new TransactionEvent(Instant.EPOCH, "ended", "an operator", "by hand");
        TransactionRecord decided = store.find(undecided.gid()).orElseThrow();
        assertWaits(decided, TransactionState.COMMITTED, List.of(event));
    }

    private void assertWaits(TransactionRecord before, TransactionState next, List<TransactionEvent> events)
            throws Exception {
        durabilityNeeds("nobody");
        CompletableFuture<TransactionRecord> written = CompletableFuture.supplyAsync(() -> write(before, next, events));
        await().atMost(PATIENCE).until(PostgresTransactionEndTest::somebodyWaits);
        assertThat(written).isNotDone();
        durabilityNeeds("");
        assertThat(written.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).state()).isEqualTo(next);
    }

    private TransactionRecord begin() {
        TransactionDraft draft = new TransactionDraft(
                new TransactionId(UUID.randomUUID().toString()),
                TransactionKind.TCC,
                "test",
                "",
                "",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofMinutes(10),
                RetryPolicy.FOR_EVER,
                List.of());
        return ((Begun.Created) store.begin(draft, Optional.empty(), Duration.ofMinutes(10))).transaction();
    }

    private TransactionRecord write(TransactionRecord before, TransactionState next, List<TransactionEvent> events) {
        return store.update(before, before.in(next), events).orElseThrow();
    }

    /** Takes effect in the sessions that are there, too. */
    private static void durabilityNeeds(String standby) throws SQLException {
        try (Connection connection = ADDRESS.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("ALTER SYSTEM SET synchronous_standby_names = '" + standby + "'");
            statement.execute("SELECT pg_reload_conf()");
        }
        await().atMost(PATIENCE)
                .until(() -> answer("SHOW synchronous_standby_names").equals(standby));
        if (!standby.isEmpty()) {
            awaitWaiting();
        }
    }

    /**
     * Commits until one waits: what sessions show is in force once the checkpointer has taken it over, later on a busy
     * machine.
     */
    private static void awaitWaiting() throws SQLException {
        AtomicReference<CompletableFuture<String>> probe = new AtomicReference<>(CompletableFuture.completedFuture(""));
        await().atMost(PATIENCE).until(() -> {
            if (probe.get().isDone()) {
                probe.get().join();
                probe.set(CompletableFuture.supplyAsync(PostgresTransactionEndTest::commit));
            }
            return somebodyWaits();
        });
        answer("SELECT COUNT(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        probe.get().join();
    }

    /** Without an effect. */
    private static String commit() {
        try {
            return answer("SELECT pg_logical_emit_message(true, 'probe', '')");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean somebodyWaits() throws SQLException {
        return !answer("SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                .equals("0");
    }

    private static String answer(String question) throws SQLException {
        try (Connection connection = ADDRESS.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(question)) {
            rows.next();
            return rows.getString(1);
        }
    }
}
