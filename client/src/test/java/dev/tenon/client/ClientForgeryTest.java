package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.Node;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.observe.Observer;
import dev.tenon.server.tx.TransactionService;
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
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a client says of a transaction is held against what the log has: nothing is changed that is not its own to
 * change.
 */
class ClientForgeryTest {
    private static final Duration LEASE = Duration.ofMinutes(5);
    private static final MemoryBackend MEMORY = MemoryBackend.create();
    private static final ApiKey.Fresh SHOP = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh ALL = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh OPS = ApiKey.fresh(new SecureRandom());
    private static final ApiKeys KEYS = new ApiKeys(List.of(
            key("shop", SHOP, Right.USE, "shop"), key("all", ALL, Right.USE, ""), key("ops", OPS, Right.ADMIN, "")));
    private static final Node NODE = Clients.node(MEMORY, new KeyGate(() -> KEYS), Observer.NONE);
    private static TenonClient client;
    private static TransactionStore log;

    /** Not with the class: the node's threads ask it for the keys. */
    @BeforeAll
    static void open() {
        client = with(SHOP);
        log = client.transactions();
    }

    @AfterAll
    static void close() {
        client.close();
        NODE.close();
    }

    private static ApiKey key(String name, ApiKey.Fresh fresh, Right role, String prefix) {
        return new ApiKey(
                fresh.id(),
                name,
                role,
                Set.of(Scope.TRANSACTIONS, Scope.IDS, Scope.LOCKS),
                List.of(prefix),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private static TenonClient with(ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + NODE.port())
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }

    private static TransactionDraft draft(String gid, TransactionKind kind, String service, BranchRecord... branches) {
        return new TransactionDraft(
                new TransactionId(gid),
                kind,
                service,
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of(branches));
    }

    private static BranchRecord branch(String name, String target) {
        return BranchRecord.planned(name, Map.of(Operation.ACTION, target), "{\"paid\":1}");
    }

    private static TransactionRecord begun(String gid) {
        return log.begin(
                        draft(gid, TransactionKind.SAGA, "shop", branch("pay", "card"), branch("ship", "van")),
                        Optional.of("me"),
                        LEASE)
                .transaction();
    }

    private static TransactionRecord as(TransactionRecord tx, String service) {
        return new TransactionRecord(
                tx.gid(),
                tx.kind(),
                service,
                tx.name(),
                tx.digest(),
                tx.payload(),
                tx.parent(),
                tx.retry(),
                tx.createdAt(),
                tx.deadline(),
                tx.progress(),
                tx.branches());
    }

    @Test
    void whatTheServerDrivesIsNotChangedUnderAnotherServicesName() {
        String signed = HttpParticipants.signed("http://127.0.0.1:1/hook", "bank/key");
        BranchRecord notice = BranchRecord.planned("notify", Map.of(Operation.NOTIFY, signed), "{}");
        TransactionRecord server = MEMORY.transactions()
                .begin(
                        draft("shop-notice", TransactionKind.NOTIFY, TransactionService.SERVICE, notice),
                        Optional.of("desk"),
                        LEASE)
                .transaction();
        TransactionRecord seen = log.find(server.gid()).orElseThrow();
        TransactionRecord lied = as(seen, "shop");
        TransactionRecord forged = lied.withBranches(
                List.of(BranchRecord.planned("notify", Map.of(Operation.NOTIFY, signed), "{\"pay\":\"eve\"}")));
        assertThatThrownBy(() -> log.update(lied, forged.due(Instant.EPOCH, Optional.empty()), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("over HTTP");
        assertThat(MEMORY.transactions().find(server.gid())).contains(server);
    }

    /** What an update never changes. */
    private enum Forgery {
        SERVICE(tx -> as(tx, TransactionService.SERVICE), "service"),
        TARGET(tx -> first(tx, branch("pay", "http://127.0.0.1:1/theirs")), "targets"),
        PAYLOAD(
                tx -> first(tx, BranchRecord.planned("pay", Map.of(Operation.ACTION, "card"), "{\"paid\":2}")),
                "payload"),
        NAME(tx -> first(tx, branch("paid", "card")), "name"),
        PIVOT(tx -> first(tx, branch("pay", "card").asPivot()), "pivot"),
        FEWER(tx -> tx.withBranches(tx.branches().subList(0, 1)), "branches");

        private final UnaryOperator<TransactionRecord> change;
        private final String field;

        Forgery(UnaryOperator<TransactionRecord> change, String field) {
            this.change = change;
            this.field = field;
        }

        private static TransactionRecord first(TransactionRecord tx, BranchRecord other) {
            List<BranchRecord> branches = new ArrayList<>(tx.branches());
            branches.set(0, other);
            return tx.withBranches(branches);
        }
    }

    @ParameterizedTest
    @EnumSource
    void anUpdateChangesNothingOfWhatATransactionIs(Forgery forgery) {
        TransactionRecord tx = begun("shop-forged-" + forgery);
        TransactionRecord forged = forgery.change.apply(tx);
        // Said of what is to be, and said of what there was before.
        for (TransactionRecord before : List.of(tx, forged)) {
            if (before == tx && forgery == Forgery.SERVICE) {
                continue; // what it is to be does not go over the line
            }
            TransactionRecord after = forged.withBranches(forged.branches().stream()
                    .map(b -> b.called(BranchState.CALLED))
                    .toList());
            assertThatThrownBy(() -> log.update(before, after, List.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(forgery.field);
        }
        assertThat(log.find(tx.gid())).contains(tx);
    }

    @Test
    void branchesAreAddedAndGoOnAndARecordOfBeforeWritesNothing() {
        TransactionRecord tx = begun("shop-added");
        List<BranchRecord> more = new ArrayList<>(tx.branches());
        more.replaceAll(b -> b.called(BranchState.CALLED));
        more.add(branch("mail", "post"));
        TransactionRecord grown =
                log.update(tx, tx.withBranches(more), List.of()).orElseThrow();
        assertThat(grown.branches()).isEqualTo(more);
        assertThat(log.update(tx, tx.in(TransactionState.ABORTING), List.of())).isEmpty();
        assertThat(log.find(tx.gid())).contains(grown);
        String large = "x".repeat(TransactionDraft.PAYLOAD_LENGTH_MAX);
        more.add(BranchRecord.planned("large", Map.of(Operation.ACTION, "post"), large));
        assertThatThrownBy(() -> log.update(grown, grown.withBranches(more), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("payloads");
    }

    @Test
    void aLineOfTheHistoryIsByTheKeyThatWroteIt() {
        TransactionRecord tx = begun("shop-told");
        Instant before = Instant.now().minusSeconds(1);
        log.update(
                tx,
                tx.suspendedFor(Optional.of("stuck")),
                List.of(new TransactionEvent(Instant.now().plus(LEASE), "suspended", "ops", "stuck")));
        assertThat(log.history(tx.gid())).singleElement().satisfies(line -> {
            assertThat(line.by()).isEqualTo("shop");
            assertThat(line.what()).isEqualTo("suspended");
            assertThat(line.at()).isBetween(before, Instant.now().plusSeconds(1));
        });
    }

    @Test
    void whatWaitsForAnOperatorIsResumedByOneAndDecidedByItsService() {
        TransactionRecord tx = begun("shop-stuck");
        TransactionRecord stuck =
                log.update(tx, tx.suspendedFor(Optional.of("stuck")), List.of()).orElseThrow();
        assertThatThrownBy(() -> log.update(stuck, stuck.suspendedFor(Optional.empty()), List.of()))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("admin");
        assertThat(log.find(tx.gid())).contains(stuck);
        try (TenonClient ops = with(OPS)) {
            TransactionRecord resumed = ops.transactions()
                    .update(stuck, stuck.suspendedFor(Optional.empty()), List.of())
                    .orElseThrow();
            TransactionRecord again = log.update(resumed, resumed.suspendedFor(Optional.of("stuck")), List.of())
                    .orElseThrow();
            assertThat(log.update(again, again.in(TransactionState.ABORTING).suspendedFor(Optional.empty()), List.of()))
                    .isPresent();
        }
    }

    @Test
    void whatIsNotAmongItsNamesIsNeitherClaimedNorTakenForAParent() {
        try (TenonClient all = with(ALL)) {
            TransactionStore every = all.transactions();
            for (String gid : List.of("shop-due", "bank-due")) {
                every.begin(
                        draft(gid, TransactionKind.SAGA, "shop-claims", branch("pay", "card")),
                        Optional.empty(),
                        Duration.ZERO);
            }
            assertThat(log.claim(new Claim("shop-claims", "me", LEASE, 10)))
                    .extracting(tx -> tx.gid().text())
                    .containsExactly("shop-due");
            assertThat(every.claim(new Claim("shop-claims", "it", LEASE, 10)))
                    .extracting(tx -> tx.gid().text())
                    .containsExactly("bank-due");
        }
        TransactionDraft orphan = draft("shop-child", TransactionKind.SAGA, "shop", branch("pay", "card"));
        TransactionDraft child = new TransactionDraft(
                orphan.gid(),
                orphan.kind(),
                orphan.service(),
                orphan.name(),
                orphan.payload(),
                Optional.of(new TransactionId("bank-parent")),
                orphan.state(),
                orphan.deadline(),
                orphan.retry(),
                orphan.branches());
        assertThatThrownBy(() -> log.begin(child, Optional.empty(), LEASE)).hasMessageContaining("shop");
    }

    @Test
    void whatEndedIsForgottenBeforeItsTimeByAdministratorsOnly() {
        TransactionRecord tx = begun("shop-ended");
        log.update(tx, tx.in(TransactionState.ABORTED), List.of()).orElseThrow();
        try (TenonClient all = with(ALL);
                TenonClient ops = with(OPS)) {
            assertThat(all.transactions().purge(Duration.ZERO, 100)).isZero();
            assertThat(log.find(tx.gid())).isPresent();
            await().atMost(Duration.ofSeconds(30))
                    .until(
                            () -> { // the log's clock has gone on since it ended
                                ops.transactions().purge(Duration.ZERO, 100);
                                return log.find(tx.gid()).isEmpty();
                            });
        }
    }
}
