package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.TransactionState;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code GET /v1/transactions}: what its filters let through, in which order, page after page, and for whom. */
class TransactionListOverHttpTest {
    private static final ApiKey.Fresh OPS = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh TWO = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh NESTED = ApiKey.fresh(new SecureRandom());

    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-22T01:20:30Z"));
    private final MemoryBackend memory = MemoryBackend.on(clock);
    private final LoggedTransactions log = new LoggedTransactions(memory.transactions());
    private Node node;
    private TestClient client;

    @BeforeEach
    void start() {
        ApiKeys keys = new ApiKeys(List.of(
                key(OPS, "ops", ""), key(TWO, "two", "shop-", "bank-"), key(NESTED, "nested", "s", "shop-", "shop-2")));
        node = Node.start(
                NodeOptions.at("127.0.0.1", 0).withGate(new KeyGate(() -> keys)), new MemoryServerBackend(memory));
        client = new TestClient(node.port());
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name, String... prefixes) {
        return new ApiKey(
                fresh.id(),
                name,
                Right.READ,
                Set.of(Scope.TRANSACTIONS),
                List.of(prefixes),
                new ApiKey.Proof.Secret(fresh.sha256()),
                Instant.EPOCH,
                "test");
    }

    private Answer list(ApiKey.Fresh key, String query) {
        return client.call("GET", "/v1/transactions?" + query, "", "Authorization", "Bearer " + key.text());
    }

    private List<String> gids(String query) {
        Answer page = list(OPS, query);
        assertThat(page.status()).as(page.text()).isEqualTo(200);
        return gids(page);
    }

    private static List<String> gids(Answer page) {
        return page.json()
                .path("transactions")
                .valueStream()
                .map(tx -> tx.path("gid").asString())
                .toList();
    }

    /** All pages of that size, one after the other. */
    private List<String> paged(ApiKey.Fresh key, String query, int limit) {
        List<String> all = new ArrayList<>();
        String after = "";
        do {
            Answer page = list(key, query + "&limit=" + limit + after);
            assertThat(page.status()).as(page.text()).isEqualTo(200);
            assertThat(gids(page)).hasSizeLessThanOrEqualTo(limit);
            all.addAll(gids(page));
            String next = page.json().path("next").asString("");
            after = next.isEmpty() ? "" : "&after=" + URLEncoder.encode(next, StandardCharsets.UTF_8);
        } while (!after.isEmpty());
        return all;
    }

    private void someOfEach() {
        log.active("shop-old", TransactionKind.TCC, "stock");
        clock.advance(Duration.ofHours(2));
        log.suspended("shop-held", "Account 4711 is LOCKED");
        log.stuck("bank-stuck", "answered 500: out of paper");
        clock.advance(Duration.ofMinutes(10));
        log.ended("bank-done", TransactionState.COMMITTED);
        log.active("shop-new");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "limit=10                      | shop-new bank-done shop-held bank-stuck shop-old",
                "stuck=true                    | shop-held bank-stuck",
                "suspended=true                | shop-held bank-stuck",
                "stuck=false&kind=tcc          | shop-old",
                "stuck=true&state=committing   | bank-stuck",
                "state=COMMITTED               | bank-done",
                "service=stock                 | shop-old",
                "service=                      | ''",
                "prefix=bank                   | bank-done bank-stuck",
                "prefix=bank-stuck             | bank-stuck",
                "prefix=BANK                   | ''",
                "prefix=shop%20                | ''",
                "olderThan=PT10M               | shop-held bank-stuck shop-old",
                "olderThan=PT10M0.001S        | shop-old",
                "youngerThan=PT10M             | shop-new bank-done shop-held bank-stuck",
                "youngerThan=P36500D           | shop-new bank-done shop-held bank-stuck shop-old",
                "olderThan=PT1M&youngerThan=PT1H | shop-held bank-stuck",
                "error=OUT%20OF%20PAPER        | bank-stuck",
                "error=locked                  | shop-held",
                "error=%25                     | ''",
                "error=answered&stuck=true&prefix=shop | ''"
            })
    void aFilterLetsThroughWhatItSays(String query, String gids) {
        someOfEach();
        assertThat(gids(query)).containsExactlyInAnyOrder(gids.isEmpty() ? new String[0] : gids.split(" "));
    }

    @Test
    void theNewestComesFirstAndOfTheSameMomentTheGreaterId() {
        someOfEach();
        assertThat(gids("limit=10")).containsExactly("shop-new", "bank-done", "shop-held", "bank-stuck", "shop-old");
    }

    @Test
    void whatIsStuckSaysSinceWhenAndWhy() {
        someOfEach();
        var stuck = list(OPS, "prefix=bank-stuck").json().path("transactions").get(0);
        assertThat(stuck.path("failingSince").asString()).isNotEmpty();
        assertThat(stuck.path("stuckAt").asString()).isNotEmpty();
        assertThat(stuck.has("suspended")).isFalse();
        assertThat(stuck.path("branches").get(0).path("lastError").asString()).isEqualTo("answered 500: out of paper");
        var held = list(OPS, "prefix=shop-held").json().path("transactions").get(0);
        assertThat(held.path("suspended").asString()).isEqualTo("Account 4711 is LOCKED");
        assertThat(held.has("stuckAt")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 7, 1000})
    void pagesOfSeveralPrefixesLeaveNothingOutAndRepeatNothing(int limit) {
        List<String> shown = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            log.active("other-" + i);
            String gid = List.of("shop-", "bank-", "shop-2").get(i % 3) + i;
            log.active(gid);
            shown.add(0, gid);
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(paged(TWO, "state=ACTIVE", limit)).containsExactlyElementsOf(shown);
        List<String> shop = shown.stream().filter(g -> g.startsWith("shop-")).toList();
        assertThat(paged(NESTED, "state=ACTIVE", limit)).containsExactlyElementsOf(shop);
        assertThat(paged(TWO, "prefix=shop-2", limit))
                .containsExactlyElementsOf(
                        shop.stream().filter(g -> g.startsWith("shop-2")).toList());
        assertThat(paged(TWO, "prefix=s", limit)).containsExactlyElementsOf(shop);
        assertThat(paged(TWO, "prefix=other", limit)).isEmpty();
        assertThat(paged(OPS, "state=ACTIVE", limit)).hasSize(24).doesNotHaveDuplicates();
    }

    /** Whoever knows where another's transaction stands sees only what is his own. */
    @Test
    void aPageBeginsAtAnyPlaceAndShowsWhatTheKeyMaySee() {
        log.active("shop-1");
        clock.advance(Duration.ofSeconds(1));
        log.active("zoo-1");
        log.active("shop-2");
        String zoo = list(OPS, "limit=1").json().path("next").asString();
        assertThat(zoo).endsWith("/zoo-1");
        assertThat(gids(list(TWO, "after=" + zoo))).containsExactly("shop-2", "shop-1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "state=DONE",
                "kind=sagas",
                "stuck=yes",
                "limit=0",
                "limit=1001",
                "olderThan=5m",
                "olderThan=-PT1S",
                "olderThan=PT9223372036854775807S",
                "youngerThan=P36501D",
                "after=shop-1",
                "after=1/a%20b",
                "after=99999999999999999999/a",
                "prefix=%00",
                "error=%00",
                "older=PT1S"
            })
    void whatIsWrongIsRefused(String query) {
        Answer refused = list(OPS, query);
        assertThat(refused.status()).as(refused.text()).isEqualTo(400);
        assertThat(refused.detail()).isNotBlank();
    }

    @Test
    void anErrorToLookForHasABound() {
        assertThat(list(OPS, "error=" + "x".repeat(200)).status()).isEqualTo(200);
        assertThat(list(OPS, "error=" + "x".repeat(201)).status()).isEqualTo(400);
    }
}
