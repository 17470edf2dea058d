package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What each key may do at each route. A route that is missing from the table fails. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RouteRightsTest {
    /** Who may; nobody else may. */
    private static final Map<String, Need> EXPECTED = Map.ofEntries(
            Map.entry("GET /healthz", Need.NOTHING),
            Map.entry("GET /readyz", Need.NOTHING),
            Map.entry("GET /openapi.json", Need.NOTHING),
            Map.entry("GET /v1/access", Need.NOTHING),
            Map.entry("GET /metrics", Need.read(Scope.SERVER)),
            Map.entry("GET /v1/backup", Need.admin(Scope.SERVER)),
            Map.entry("GET /v1/cluster", Need.read(Scope.SERVER)),
            Map.entry("POST /v1/cluster/members", Need.admin(Scope.SERVER)),
            Map.entry("DELETE /v1/cluster/members", Need.admin(Scope.SERVER)),
            Map.entry("POST /v1/cluster/leader", Need.admin(Scope.SERVER)),
            Map.entry("GET /v1/ids", Need.read(Scope.IDS)),
            Map.entry("GET /v1/ids/{}", Need.read(Scope.IDS)),
            Map.entry("PUT /v1/ids/{}", Need.admin(Scope.IDS)),
            Map.entry("DELETE /v1/ids/{}", Need.admin(Scope.IDS)),
            Map.entry("POST /v1/ids/{}/next", Need.use(Scope.IDS)),
            Map.entry("GET /v1/ids/{}/next", Need.use(Scope.IDS)),
            Map.entry("POST /v1/ids/{}/raise", Need.admin(Scope.IDS)),
            Map.entry("GET /v1/ids/{}/decode/{}", Need.read(Scope.IDS)),
            Map.entry("POST /v1/public-ids/rotate", Need.admin(Scope.SERVER)),
            Map.entry("GET /id-builder/increase-id", Need.use(Scope.IDS)),
            Map.entry("GET /id-builder/increase-seq-id", Need.use(Scope.IDS)),
            Map.entry("GET /id-builder/increase-id-str", Need.use(Scope.IDS)),
            Map.entry("GET /id-builder/increase-seq-id-str", Need.use(Scope.IDS)),
            Map.entry("POST /v1/sessions", Need.use(Scope.SESSIONS)),
            Map.entry("POST /v1/sessions/{}/keepalive", Need.use(Scope.SESSIONS)),
            Map.entry("DELETE /v1/sessions/{}", Need.use(Scope.SESSIONS)),
            Map.entry("GET /v1/locks", Need.read(Scope.LOCKS)),
            Map.entry("GET /v1/locks/{}", Need.read(Scope.LOCKS)),
            Map.entry("DELETE /v1/locks/{}", Need.admin(Scope.LOCKS)),
            Map.entry("GET /v1/locks/{}/validate", Need.read(Scope.LOCKS)),
            Map.entry("POST /v1/locks/{}/acquire", Need.use(Scope.LOCKS)),
            Map.entry("POST /v1/locks/{}/renew", Need.use(Scope.LOCKS)),
            Map.entry("POST /v1/locks/{}/release", Need.use(Scope.LOCKS)),
            Map.entry("POST /v1/locks/{}/revoke", Need.use(Scope.LOCKS)),
            Map.entry("POST /v1/transactions", Need.use(Scope.TRANSACTIONS)),
            Map.entry("GET /v1/transactions", Need.read(Scope.TRANSACTIONS)),
            Map.entry("GET /v1/transactions/{}", Need.read(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/submit", Need.use(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/commit", Need.use(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/abort", Need.use(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/retry", Need.admin(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/suspend", Need.admin(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/resume", Need.admin(Scope.TRANSACTIONS)),
            Map.entry("POST /v1/transactions/{}/close", Need.admin(Scope.TRANSACTIONS)),
            Map.entry("GET /v1/outbox", Need.read(Scope.OUTBOXES)),
            Map.entry("GET /v1/outbox/lanes", Need.read(Scope.OUTBOXES)),
            Map.entry("GET /v1/outbox/messages", Need.read(Scope.OUTBOXES)),
            Map.entry("GET /v1/outbox/messages/{}", Need.read(Scope.OUTBOXES)),
            Map.entry("GET /v1/outbox/dead-letters", Need.read(Scope.OUTBOXES)),
            Map.entry("POST /v1/outbox/dead-letters/{}/replay", Need.admin(Scope.OUTBOXES)),
            Map.entry("POST /v1/outbox/dead-letters/{}/discard", Need.admin(Scope.OUTBOXES)),
            Map.entry("POST /v1/outbox/dead-letters/replay", Need.admin(Scope.OUTBOXES)),
            Map.entry("POST /v1/outbox/dead-letters/discard", Need.admin(Scope.OUTBOXES)));

    private static final Set<Scope> EVERY = Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS);
    private static final List<String> ALL = List.of("");

    private final SecureRandom random = new SecureRandom();
    private final List<ApiKey> keys = new ArrayList<>();
    private final Map<ApiKey, String> texts = new LinkedHashMap<>();
    private Node node;
    private TestClient client;

    @BeforeAll
    void start() {
        for (Right role : Right.values()) {
            key(role + " of all", role, EVERY, ALL);
            key(role + " of IDs", role, Set.of(Scope.IDS), ALL);
            key(role + " of locks", role, Set.of(Scope.LOCKS), ALL);
            key(role + " of transactions", role, Set.of(Scope.TRANSACTIONS), ALL);
            key(role + " of shop", role, EVERY, List.of("shop"));
        }
        ApiKeys known = new ApiKeys(keys);
        node = Node.start(NodeOptions.at("127.0.0.1", 0).withGate(new KeyGate(() -> known)), new MemoryServerBackend());
        client = new TestClient(node.port());
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private void key(String name, Right role, Set<Scope> scopes, List<String> prefixes) {
        ApiKey.Fresh fresh = ApiKey.fresh(random);
        ApiKey.Proof proof = new ApiKey.Proof.Secret(fresh.sha256());
        ApiKey key = new ApiKey(fresh.id(), name, role, scopes, prefixes, proof, Instant.EPOCH, "test");
        keys.add(key);
        texts.put(key, fresh.text());
    }

    @Test
    void everyRouteAsksForWhatItShould() {
        Map<String, Need> asked = new LinkedHashMap<>(node.needs());
        asked.entrySet()
                .removeIf(route -> isPage(route.getKey()) && route.getValue().equals(Need.NOTHING));
        assertThat(asked).containsExactlyInAnyOrderEntriesOf(EXPECTED);
    }

    /** The console's files: the same for everyone. */
    private static boolean isPage(String label) {
        return label.equals("GET /") || label.startsWith("GET /console/");
    }

    @Test
    void everyRouteLetsInWhoMayAndNobodyElse() {
        List<String> wrong = new ArrayList<>();
        EXPECTED.forEach((label, need) -> {
            for (String name : List.of("shop-1", "bank-1")) {
                texts.forEach((key, text) -> {
                    Answer answer = call(label, name, "Authorization", "Bearer " + text);
                    boolean refused = answer.status() == 403;
                    if (refused == may(key, need, label, name) || answer.status() == 401) {
                        wrong.add(key.name() + ": " + label + " of " + name + " is " + answer.status());
                    }
                    if (refused && !answer.problem().equals("forbidden")) {
                        wrong.add(label + ": " + answer.text());
                    }
                });
            }
        });
        assertThat(wrong).isEmpty();
    }

    @Test
    void whoeverShowsNoKeyOrAWrongOneIsToldWhatToDo() {
        String text = texts.values().iterator().next();
        String mended = text.substring(0, text.length() - 1) + (text.endsWith("A") ? "B" : "A");
        EXPECTED.forEach((label, need) -> {
            boolean open = need.scope() == Scope.OPEN;
            for (Answer answer : List.of(
                    call(label, "shop-1"),
                    call(label, "shop-1", "Authorization", "Bearer " + mended),
                    call(label, "shop-1", "Authorization", "Bearer "),
                    call(label, "shop-1", "Authorization", "Basic " + text),
                    call(label, "shop-1", "Authorization", text))) {
                if (open) {
                    assertThat(answer.status()).as(label).isEqualTo(200);
                } else {
                    assertThat(answer.status()).as(label).isEqualTo(401);
                    assertThat(answer.problem()).isEqualTo("unauthenticated");
                    assertThat(answer.header("WWW-Authenticate")).startsWith("Bearer");
                    assertThat(answer.detail()).contains("Authorization");
                }
            }
        });
    }

    private static boolean may(ApiKey key, Need need, String label, String name) {
        boolean prefixed = key.prefixes().equals(List.of("shop"));
        boolean code = label.contains("/id-builder/"); // has no name that is known here
        boolean sessionOfAnother = label.contains("/v1/sessions/{}")
                || label.endsWith("/acquire")
                || label.endsWith("/renew")
                || label.endsWith("/release");
        boolean reaches = !prefixed
                || (need.scope() != Scope.SERVER
                        && !code
                        && (!label.contains("{}")
                                || name.startsWith("shop")
                                || need.scope() == Scope.SESSIONS
                                || need.scope() == Scope.OUTBOXES)); // by the name of the outbox: OutboxOverHttpTest
        boolean scoped = switch (need.scope()) {
            case OPEN -> true;
            case IDS -> key.scopes().contains(Scope.IDS);
            case TRANSACTIONS, OUTBOXES -> key.scopes().contains(Scope.TRANSACTIONS);
            case LOCKS, SESSIONS -> key.scopes().contains(Scope.LOCKS);
            case SERVER -> key.scopes().equals(EVERY);
        };
        return need.scope() == Scope.OPEN
                || (key.role().compareTo(need.right()) >= 0 && scoped && reaches && !sessionOfAnother);
    }

    private Answer call(String label, String name, String... headers) {
        String method = label.substring(0, label.indexOf(' '));
        String path = label.substring(label.indexOf(' ') + 1).replace("{}", name);
        if (path.startsWith("/id-builder/")) {
            path += "?code=7";
        }
        String body = path.endsWith("/acquire") || path.endsWith("/renew") || path.endsWith("/release")
                ? "{\"session\":\"0123\",\"token\":1}"
                : path.endsWith("/revoke") ? "{\"by\":\"test\"}" : "";
        if (path.endsWith("/acquire")) {
            body = "{\"session\":\"0123\"}";
        }
        if (!List.of("GET", "PUT", "POST", "DELETE").contains(method)) {
            fail("there is no call for " + label);
        }
        return client.call(method, path, body, headers);
    }
}
