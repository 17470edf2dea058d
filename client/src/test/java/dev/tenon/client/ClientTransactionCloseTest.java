package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.Protection;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.tx.BranchRecord;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Operation;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionConflictException;
import dev.tenon.tx.TransactionDraft;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionPage;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionRecord.Trouble;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Giving a transaction up as it is, over the log of a server: an administrator's, with a reason, told in the audit log.
 */
class ClientTransactionCloseTest {
    private static final ApiKey.Fresh OPS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh SHOP = ApiKey.fresh(new SecureRandom());
    private static final Duration LEASE = Duration.ofMinutes(5);

    private final Queue<Audit.Deed> deeds = new ConcurrentLinkedQueue<>();
    private Node node;
    private TenonClient ops;
    private TenonClient shop;

    @BeforeEach
    void start() {
        ApiKeys keys = new ApiKeys(List.of(key(OPS, "ops", Right.ADMIN), key(SHOP, "shop", Right.USE)));
        node = Clients.memoryNode(NodeOptions.at("127.0.0.1", 0)
                .withGate(new KeyGate(() -> keys))
                .withProtection(Protection.DEFAULT.withAudit(deeds::add)));
        ops = with(OPS);
        shop = with(SHOP);
    }

    @AfterEach
    void stop() {
        ops.close();
        shop.close();
        node.close();
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name, Right role) {
        return new ApiKey(
                fresh.id(),
                name,
                role,
                Set.of(Scope.TRANSACTIONS, Scope.IDS, Scope.LOCKS),
                List.of(""),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private TenonClient with(ApiKey.Fresh key) {
        return TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                .withCallTimeout(Clients.PATIENCE)
                .withApiKey(key.text()));
    }

    private static Transactions transactions(TenonClient client) {
        return TransactionEngine.over(
                client.transactions(), new NamedParticipants(), TransactionOptions.DEFAULT.withService("shop"));
    }

    private TransactionRecord begun(String gid) {
        return shop.transactions()
                .begin(
                        new TransactionDraft(
                                new TransactionId(gid),
                                TransactionKind.SAGA,
                                "shop",
                                "order/1",
                                "{}",
                                Optional.empty(),
                                TransactionState.ACTIVE,
                                Duration.ofHours(1),
                                RetryPolicy.FOR_EVER,
                                List.of(BranchRecord.planned("pay", Map.of(Operation.ACTION, "card"), "30"))),
                        Optional.of("me"),
                        LEASE)
                .transaction();
    }

    private TransactionRecord suspended(String gid, String why) {
        TransactionRecord tx = begun(gid);
        return shop.transactions()
                .update(tx, tx.suspendedFor(Optional.of(why)), List.of())
                .orElseThrow();
    }

    private TransactionRecord stuck(String gid, String error) {
        TransactionRecord tx = begun(gid);
        Instant since = shop.transactions().now();
        TransactionRecord failing =
                tx.in(TransactionState.COMMITTING).change("pay", branch -> branch.again(since.plusSeconds(60), error));
        return shop.transactions()
                .update(
                        tx,
                        failing.with(failing.progress().troubled(Optional.of(new Trouble(since, Optional.of(since))))),
                        List.of())
                .orElseThrow();
    }

    @Test
    void anAdministratorClosesAsTheKeyThatSaysSo() {
        TransactionRecord stuck = stuck("shop-1", "answered 500");
        try (Transactions transactions = transactions(ops)) {
            TransactionRecord closed = transactions.closeAsIs(stuck.gid(), "somebody else", "refunded by hand");
            assertThat(closed.state()).isEqualTo(TransactionState.CLOSED);
            assertThat(closed.suspended()).contains("closed by ops: refunded by hand");
            assertThat(closed.branches()).isEqualTo(stuck.branches());
            assertThat(closed.stuckAt()).isEmpty();
            assertThat(transactions.outcome(stuck.gid()))
                    .isEqualTo(new TransactionOutcome.Closed("closed by ops: refunded by hand"));
            assertThat(transactions.closeAsIs(stuck.gid(), "ops", "again")).isEqualTo(closed);
            assertThatThrownBy(() -> transactions.abort(stuck.gid(), "ops", "late"))
                    .isInstanceOf(TransactionConflictException.class);
        }
        assertThat(shop.transactions().history(stuck.gid()))
                .extracting(e -> e.what() + " " + e.by())
                .containsExactly("closed ops", "left ops");
        assertThat(deeds)
                .extracting(d ->
                        d.what() + " " + d.who() + " " + d.on() + " " + d.more().get("why"))
                .containsExactly("transaction-closed ops shop-1 refunded by hand");
    }

    @Test
    void nobodyElseCloses() {
        TransactionRecord stuck = suspended("shop-1", "no such account");
        try (Transactions transactions = transactions(shop)) {
            assertThatThrownBy(() -> transactions.closeAsIs(stuck.gid(), "shop", "refunded by hand"))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("admin");
        }
        assertThat(shop.transactions().find(stuck.gid())).contains(stuck);
        assertThat(deeds).isEmpty();
    }

    /** Whatever a client says of what was there, and whichever library it is built on. */
    @Test
    void whatIsSentIsHeldAgainstTheSameRules() {
        TransactionStore log = ops.transactions();
        TransactionRecord active = begun("shop-1");
        assertThatThrownBy(() -> log.update(active, closed(active, "why"), List.of()))
                .hasMessageContaining("abort or suspend it first");
        TransactionRecord ended = ended("shop-2");
        assertThatThrownBy(() -> log.update(ended, closed(ended, "why"), List.of()))
                .hasMessageContaining("nothing left to close");
        TransactionRecord stuck = suspended("shop-3", "no such account");
        for (String why : List.of("", " \t")) {
            assertThatThrownBy(() -> log.update(stuck, closed(stuck, why), List.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("why");
        }
        assertThatThrownBy(() -> log.update(stuck, closed(stuck, "").suspendedFor(Optional.empty()), List.of()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> log.update(
                        stuck, closed(stuck, "why").change("pay", branch -> branch.withResult("paid")), List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("changes");
        assertThat(log.find(stuck.gid())).contains(stuck);
        assertThat(deeds).isEmpty();
        TransactionRecord written =
                log.update(stuck, closed(stuck, "refunded"), List.of()).orElseThrow();
        assertThat(written.suspended()).contains("closed by ops: refunded");
        assertThat(log.history(stuck.gid())).extracting(TransactionEvent::what).containsExactly("closed");
        assertThatThrownBy(() -> log.update(written, closed(written, "for another reason"), List.of()))
                .hasMessageContaining("nothing left to close");
        assertThat(shop.transactions().find(stuck.gid())).contains(written);
        assertThat(deeds).hasSize(1);
    }

    private static TransactionRecord closed(TransactionRecord tx, String why) {
        return tx.in(TransactionState.CLOSED).suspendedFor(Optional.of(why));
    }

    private TransactionRecord ended(String gid) {
        TransactionRecord tx = begun(gid);
        return shop.transactions()
                .update(tx, tx.in(TransactionState.ABORTED), List.of())
                .orElseThrow();
    }

    @Test
    void aListHasWhatItsFilterAsksFor() {
        begun("shop-1");
        suspended("shop-2", "Account LOCKED");
        stuck("bank-3", "answered 500");
        ended("bank-4");
        TransactionFilter all = TransactionFilter.ALL;
        assertThat(gids(all)).containsExactly("bank-4", "bank-3", "shop-2", "shop-1");
        assertThat(gids(all.thatAreStuck())).containsExactly("bank-3", "shop-2");
        assertThat(gids(all.withIdPrefix("shop"))).containsExactly("shop-2", "shop-1");
        assertThat(gids(all.in(TransactionState.ABORTED))).containsExactly("bank-4");
        assertThat(gids(all.ofKind(TransactionKind.TCC))).isEmpty();
        assertThat(gids(all.ofService("shop").withError("locked"))).containsExactly("shop-2");
        assertThat(gids(all.ofService("bank"))).isEmpty();
        assertThat(gids(all.olderThan(Duration.ofHours(1)))).isEmpty();
        assertThat(gids(all.youngerThan(Duration.ofHours(1)).withError("500"))).containsExactly("bank-3");
    }

    /** Page after page, of one each. */
    private List<String> gids(TransactionFilter filter) {
        List<String> gids = new ArrayList<>();
        String after = "";
        do {
            TransactionPage page = shop.transactions().list(filter, after, 1);
            page.transactions().forEach(tx -> gids.add(tx.gid().text()));
            after = page.next();
        } while (!after.isEmpty());
        return gids;
    }
}
