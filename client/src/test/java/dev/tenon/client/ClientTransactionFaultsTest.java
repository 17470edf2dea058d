package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.server.Node;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.BranchState;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.spi.Begun;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a service that keeps its log at a server hears of a write whose reply was lost, and what became of that write.
 */
class ClientTransactionFaultsTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final Node NODE = Clients.memoryNode();

    private final InetSocketAddress address = new InetSocketAddress("127.0.0.1", NODE.port());
    private final FaultProxy first = FaultProxy.to(address);
    private final FaultProxy second = FaultProxy.to(address);
    private final TenonClient both = Clients.of(address(first) + "," + address(second));
    private final TenonClient direct = Clients.of(NODE);
    private final TransactionStore store = both.transactions();
    private final String service = "faults-" + UUID.randomUUID();

    private static String address(FaultProxy proxy) {
        return "127.0.0.1:" + proxy.address().getPort();
    }

    @AfterEach
    void close() {
        both.close();
        direct.close();
        first.close();
        second.close();
    }

    @AfterAll
    static void stop() {
        NODE.close();
    }

    @Test
    void aBeginningWhoseReplyIsLostIsOneAndItsBeginnersOwn() throws Exception {
        first.dropReplies();
        CompletableFuture<Begun> lost = later(() -> store.begin(draft("a"), Optional.of("alice"), LEASE));
        awaitVersion("a", 1);
        lineBreaks();
        Begun begun = lost.get(60, TimeUnit.SECONDS);
        assertThat(begun).isInstanceOf(Begun.Created.class);
        assertThat(begun.transaction()).isEqualTo(found("a"));
        assertThat(found("a").progress().version()).isEqualTo(1);
    }

    @Test
    void aBeginningWhoseReplyIsLostAndThatSomebodyElseWasFasterWithIsKnown() throws Exception {
        direct.transactions().begin(draft("a"), Optional.of("bob"), LEASE);
        first.dropReplies();
        long before = first.bytesToServer();
        CompletableFuture<Begun> lost = later(() -> store.begin(draft("a"), Optional.of("alice"), LEASE));
        await().atMost(Clients.PATIENCE).until(() -> first.bytesToServer() > before);
        lineBreaks();
        assertThat(lost.get(60, TimeUnit.SECONDS)).isInstanceOf(Begun.Known.class);
        assertThat(found("a").progress().owner()).contains("bob");
    }

    @Test
    void aWriteWhoseReplyIsLostIsDoneOnceAndTold() throws Exception {
        TransactionRecord tx = begin("a");
        TransactionRecord after = tx.in(TransactionState.COMMITTING)
                .change("pay", b -> b.again(Instant.parse("2031-01-02T03:04:05.123456789Z"), "not yet"))
                .due(Instant.parse("2031-01-02T03:04:05.123456789Z"), Optional.of("alice"));
        first.dropReplies();
        CompletableFuture<Optional<TransactionRecord>> lost = later(() -> store.update(tx, after, List.of(event())));
        awaitVersion("a", 2);
        lineBreaks();
        assertThat(lost.get(60, TimeUnit.SECONDS)).contains(found("a"));
        assertThat(found("a").progress().version()).isEqualTo(2);
        assertThat(direct.transactions().history(tx.gid())).containsExactly(event());
    }

    @Test
    void aWriteThatCameTooLateIsToldSoThoughItsReplyIsLost() throws Exception {
        TransactionRecord tx = begin("a");
        TransactionRecord others = direct.transactions()
                .update(tx, tx.in(TransactionState.ABORTING), List.of())
                .orElseThrow();
        first.dropReplies();
        long before = first.bytesToServer();
        CompletableFuture<Optional<TransactionRecord>> lost =
                later(() -> store.update(tx, tx.in(TransactionState.COMMITTING), List.of(event())));
        await().atMost(Clients.PATIENCE).until(() -> first.bytesToServer() > before);
        lineBreaks();
        assertThat(lost.get(60, TimeUnit.SECONDS)).isEmpty();
        assertThat(found("a")).isEqualTo(others);
        assertThat(direct.transactions().history(tx.gid())).isEmpty();
    }

    @Test
    void aWriteWhoseReplyIsLostAndThatWasWrittenOverSinceIsUnknown() throws Exception {
        TransactionRecord tx = begin("a");
        first.dropReplies();
        CompletableFuture<Optional<TransactionRecord>> lost =
                later(() -> store.update(tx, tx.in(TransactionState.COMMITTING), List.of()));
        awaitVersion("a", 2);
        TransactionRecord now = found("a");
        direct.transactions()
                .update(now, now.change("pay", b -> b.in(BranchState.DONE)), List.of())
                .orElseThrow();
        lineBreaks();
        assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS))
                .hasCauseInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("written again");
    }

    @Test
    void aClaimWhoseReplyIsLostIsUnknownAndTheClaimedIsDueAgainWhenItsLeaseEnds() throws Exception {
        begin("a");
        Duration brief = Duration.ofMillis(500);
        first.dropReplies();
        CompletableFuture<List<TransactionRecord>> lost =
                later(() -> store.claim(new Claim(service, "alice", brief, 10)));
        awaitVersion("a", 2);
        lineBreaks();
        assertThatThrownBy(() -> lost.get(60, TimeUnit.SECONDS)).hasCauseInstanceOf(OutcomeUnknownException.class);
        await().atMost(Clients.PATIENCE)
                .until(() -> store.claim(new Claim(service, "bob", LEASE, 10)), claimed -> claimed.size() == 1);
    }

    private void lineBreaks() {
        first.refuseNew();
        first.cut();
    }

    private void awaitVersion(String suffix, long version) {
        await().atMost(Clients.PATIENCE)
                .until(() -> look(suffix)
                        .map(tx -> tx.progress().version() == version)
                        .orElse(false));
    }

    private Optional<TransactionRecord> look(String suffix) {
        return direct.transactions().find(gid(suffix));
    }

    private TransactionRecord found(String suffix) {
        return look(suffix).orElseThrow();
    }

    private TransactionRecord begin(String suffix) {
        return store.begin(draft(suffix), Optional.empty(), Duration.ZERO).transaction();
    }

    private TransactionId gid(String suffix) {
        return new TransactionId(service + suffix);
    }

    private TransactionDraft draft(String suffix) {
        return new TransactionDraft(
                gid(suffix),
                TransactionKind.SAGA,
                service,
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("pay", Map.of(Operation.ACTION, "do"), "30")));
    }

    private static TransactionEvent event() {
        return new TransactionEvent(Instant.EPOCH, "decided", "alice", "");
    }

    private static <T> CompletableFuture<T> later(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call);
    }
}
