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
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.spi.Claim;
import dev.tenon.tx.spi.TransactionStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Services that keep their log at a server: whose is whose, and a saga from its beginning to its end. */
class ClientTransactionsTest {
    private static final MemoryBackend MEMORY = MemoryBackend.create();
    private static final ApiKey.Fresh ALL = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh OPS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh SHOP = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh LOOKS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh LOCKS = ApiKey.fresh(new SecureRandom());
    private static final ApiKeys KEYS = new ApiKeys(List.of(
            key(ALL, Right.USE, "", Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS),
            key(OPS, Right.ADMIN, "", Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS),
            key(SHOP, Right.USE, "shop-", Scope.TRANSACTIONS, Scope.LOCKS),
            key(LOOKS, Right.READ, "", Scope.TRANSACTIONS, Scope.LOCKS),
            key(LOCKS, Right.ADMIN, "", Scope.LOCKS)));
    private static final Node NODE = Clients.node(MEMORY, new KeyGate(() -> KEYS), Observer.NONE);
    private static final Duration LEASE = Duration.ofMinutes(5);

    @AfterAll
    static void close() {
        NODE.close();
    }

    private static ApiKey key(ApiKey.Fresh fresh, Right role, String prefix, Scope... scopes) {
        return new ApiKey(
                fresh.id(),
                "key " + role + " " + prefix + " " + fresh.id(),
                role,
                Set.of(scopes),
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

    @Test
    void aSagaRunsOverTheServersLog() throws Exception {
        NamedParticipants steps = new NamedParticipants();
        List<String> calls = new CopyOnWriteArrayList<>();
        TransactionOptions options = TransactionOptions.DEFAULT.withService("shop-orders");
        try (TenonClient tenon = with(SHOP);
                Transactions transactions = TransactionEngine.over(tenon.transactions(), steps, options)) {
            Sagas sagas = Sagas.over(transactions, steps)
                    .register(Saga.named("order", 1)
                            .step("stock", noting(calls, Reply.done("7 left")), noting(calls, Reply.done()))
                            .step("card", noting(calls, Reply.refused("no money")))
                            .after("stock")
                            .build());
            TransactionId gid = new TransactionId("shop-saga-1");
            sagas.start("order", gid, "{}");
            TransactionRecord ended = transactions.await(gid, Clients.PATIENCE);
            assertThat(ended.state()).isEqualTo(TransactionState.ABORTED);
            assertThat(calls).containsExactly("stock action", "card action", "stock compensate");
            assertThat(transactions.history(gid)).extracting(e -> e.what()).containsExactly("aborted");
            assertThat(MEMORY.transactions().find(gid)).contains(ended);
        }
    }

    private static Participant noting(List<String> calls, Reply reply) {
        return call -> {
            calls.add(call.branch() + " " + call.operation().text());
            return reply;
        };
    }

    @Test
    void aKeyForSomeNamesReachesItsOwnAndNoOthers() {
        try (TenonClient ops = with(OPS);
                TenonClient shop = with(SHOP)) {
            TransactionStore all = ops.transactions();
            TransactionStore own = shop.transactions();
            own.begin(draft("shop-1", "shop-orders"), Optional.empty(), Duration.ZERO);
            all.begin(draft("shop-2", "bank"), Optional.empty(), Duration.ZERO);
            TransactionRecord bank = all.begin(draft("bank-1", "bank"), Optional.empty(), Duration.ZERO)
                    .transaction();
            refused(() -> own.begin(draft("bank-2", "shop-orders"), Optional.empty(), Duration.ZERO));
            refused(() -> own.begin(draft("shop-3", "bank"), Optional.empty(), Duration.ZERO));
            refused(() -> own.begin(draft("shop-3", ""), Optional.empty(), Duration.ZERO));
            refused(() -> own.find(bank.gid()));
            refused(() -> own.history(bank.gid()));
            refused(() -> own.update(bank, bank.in(TransactionState.ABORTING), List.of()));
            refused(() -> own.claim(new Claim("bank", "eve", LEASE, 10)));
            refused(() -> own.claim(new Claim("", "eve", LEASE, 10)));
            assertThat(gids(own)).containsExactly("shop-2", "shop-1");
            assertThat(gids(all)).containsExactly("bank-1", "shop-2", "shop-1");
            assertThat(all.find(new TransactionId("shop-3"))).isEmpty();
            assertThat(own.claim(new Claim("shop-orders", "alice", LEASE, 10)))
                    .extracting(tx -> tx.gid().text())
                    .containsExactly("shop-1");
            TransactionRecord ended = own.find(new TransactionId("shop-1")).orElseThrow();
            own.update(ended, ended.in(TransactionState.ABORTED), List.of()).orElseThrow();
            assertThat(own.purge(Duration.ZERO, 10)).isZero(); // others' end in the same log
            assertThat(own.find(ended.gid())).isPresent();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> all.purge(Duration.ZERO, 10) > 0); // the log's clock has to go on
            assertThat(all.find(ended.gid())).isEmpty();
        }
    }

    @Test
    void whoMayLookMayNotSeePayloadsAndOthersKeysAreForOthers() {
        for (ApiKey.Fresh key : List.of(LOOKS, LOCKS)) {
            try (TenonClient tenon = with(key)) {
                TransactionStore log = tenon.transactions();
                refused(log::now);
                refused(() -> log.find(new TransactionId("shop-1")));
                refused(() -> log.list(TransactionFilter.ALL, "", 10));
                refused(() -> log.claim(new Claim("shop-orders", "eve", LEASE, 10)));
                refused(() -> log.begin(draft("x", "x"), Optional.empty(), Duration.ZERO));
            }
        }
    }

    @Test
    void whatTheServerDrivesIsItsOwnAndShownWithoutItsSecrets() {
        String target = "http://127.0.0.1:1/paid?token=abc#whsec_hidden";
        TransactionRecord tx = MEMORY.transactions()
                .begin(draft("zz-notice", TransactionService.SERVICE, target), Optional.of("desk"), LEASE)
                .transaction();
        try (TenonClient tenon = with(ALL)) {
            TransactionStore log = tenon.transactions();
            TransactionRecord seen = log.find(tx.gid()).orElseThrow();
            assertThat(seen.branches().get(0).targets()).containsEntry(Operation.ACTION, "http://127.0.0.1:1/paid?…");
            assertThat(log.list(TransactionFilter.ALL.withIdPrefix("zz"), "", 10)
                            .transactions())
                    .containsExactly(seen);
            assertThatThrownBy(() -> log.update(seen, seen.in(TransactionState.ABORTING), List.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("over HTTP");
            assertThatThrownBy(() -> log.claim(new Claim(TransactionService.SERVICE, "eve", LEASE, 10)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> log.begin(draft("y", TransactionService.SERVICE), Optional.empty(), LEASE))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(MEMORY.transactions().find(tx.gid())).contains(tx);
    }

    private static void refused(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(TenonException.class).hasMessageContaining("refuses");
    }

    private static List<String> gids(TransactionStore store) {
        return store.list(TransactionFilter.ALL, "", 10).transactions().stream()
                .map(tx -> tx.gid().text())
                .filter(gid -> gid.matches("(shop|bank)-[0-9]"))
                .toList();
    }

    private static TransactionDraft draft(String gid, String service) {
        return draft(gid, service, "do");
    }

    private static TransactionDraft draft(String gid, String service, String target) {
        return new TransactionDraft(
                new TransactionId(gid),
                TransactionKind.SAGA,
                service,
                "order/1",
                "{}",
                Optional.empty(),
                TransactionState.ACTIVE,
                Duration.ofHours(1),
                RetryPolicy.FOR_EVER,
                List.of(BranchRecord.planned("pay", Map.of(Operation.ACTION, target), "30")));
    }
}
