package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Audit.Deed;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Limits.Share;
import dev.tenon.server.access.LiveKeys;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Keys from their making to their end, as those see them who hold one. */
class ApiKeysOverHttpTest {
    private final Queue<Deed> deeds = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path folder;

    private Path file;
    private LiveKeys keys;
    private Node node;
    private TestClient client;
    private String admin;

    private record Run(int exitCode, String out, String err) {}

    private Run key(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        CommandLine line = TenonKey.line().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--api-keys");
        all.add(file.toString());
        return new Run(line.execute(all.toArray(new String[0])), out.toString(), err.toString());
    }

    private String made(String... arguments) {
        List<String> all = new ArrayList<>(List.of("create"));
        all.addAll(List.of(arguments));
        Run run = key(all.toArray(new String[0]));
        assertThat(run.exitCode()).as(run.err()).isZero();
        if (keys != null) {
            keys.runOnce();
        }
        return run.out().strip();
    }

    @BeforeEach
    void start() {
        file = folder.resolve("keys.json");
        admin = made("root", "--role", "admin");
        Audit audit = deeds::add;
        keys = new LiveKeys(file, audit);
        Limits few = Limits.DEFAULT
                .with(LimitedResource.SESSIONS, new Share(5, 3))
                .with(LimitedResource.WAITERS, new Share(4, 2));
        node = Node.start(
                NodeOptions.at("127.0.0.1", 0)
                        .withGate(new KeyGate(keys))
                        .withProtection(new Protection(
                                audit,
                                few,
                                Optional.empty(),
                                Set.of(),
                                Set.of(),
                                HttpTargets.ANY,
                                WebhookSecrets.NONE,
                                List.of(keys::runOnce))),
                new MemoryServerBackend());
        client = new TestClient(node.port());
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private Answer call(String key, String method, String path, String body) {
        return client.call(method, path, body, "Authorization", "Bearer " + key);
    }

    private String session(String key) {
        Answer answer = call(key, "POST", "/v1/sessions", "{\"ttl\":\"PT10M\",\"owner\":\"o\"}");
        assertThat(answer.status()).as(answer.text()).isEqualTo(201);
        return answer.json().path("id").asString();
    }

    private Answer acquire(String key, String session, String lock, String wait) {
        return call(
                key,
                "POST",
                "/v1/locks/" + lock + "/acquire",
                "{\"session\":\"" + session + "\",\"wait\":\"" + wait + "\"}");
    }

    @Test
    void theFileHoldsNoKey() throws IOException {
        String key = made("shop", "--role", "use", "--prefix", "shop/", "--for", "locks");
        assertThat(key).matches("tenon_[0-9a-f]{8}_[A-Za-z0-9_-]{43}");
        String secret = key.substring("tenon_12345678_".length());
        assertThat(Files.readString(file))
                .contains("\"name\":\"shop\"", "\"role\":\"use\"", "\"for\":[\"locks\"]", "\"prefixes\":[\"shop/\"]")
                .doesNotContain(secret, key);
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2); // of its owner
        Run listed = key("ls");
        assertThat(listed.out()).contains("shop", "root", "admin", "locks").doesNotContain(secret);
    }

    @Test
    void aCommandThatCantBeDoneSaysWhy() {
        assertThat(key("create", "root", "--role", "use").err()).contains("two keys are named \"root\"");
        assertThat(key("create", "a", "--role", "boss").err())
                .contains("\"boss\" is not a role: use read, use or admin");
        assertThat(key("create", "a", "--role", "use", "--for", "tea").err()).contains("ids, locks or transactions");
        assertThat(key("create", "a", "--role", "use", "--certificate", "nonsense")
                        .exitCode())
                .isEqualTo(1);
        assertThat(key("revoke", "nobody").err()).contains("no key is named \"nobody\"");
        assertThat(key("create", "a").exitCode()).isEqualTo(2);
        assertThat(key("ls").out()).doesNotContain(" a\n");
    }

    @Test
    void aKeyThatIsRevokedIsRefusedWithoutARestart() {
        String key = made("shop", "--role", "read");
        await().until(() -> call(key, "GET", "/v1/locks", "").status() == 200);
        assertThat(key("revoke", "shop").exitCode()).isZero();
        await().until(() -> call(key, "GET", "/v1/locks", "").status() == 401); // the server looks by itself
        assertThat(deeds).extracting(Deed::what).contains("key-created", "key-revoked");
        assertThat(deeds).extracting(Deed::on).containsOnly("shop");
    }

    @Test
    void aFileThatIsDamagedChangesNothing() throws IOException {
        String before = Files.readString(file);
        for (String damaged : List.of("", "{", "{\"keys\":[{}]}", "{\"keys\":null}", before.replace("admin", "boss"))) {
            Files.writeString(file, damaged);
            keys.runOnce();
            assertThat(call(admin, "GET", "/v1/locks", "").status()).as(damaged).isEqualTo(200);
        }
        Files.delete(file);
        keys.runOnce();
        assertThat(call(admin, "GET", "/v1/locks", "").status()).isEqualTo(200);
        Files.writeString(file, "{\"keys\":[]}");
        keys.runOnce();
        assertThat(call(admin, "GET", "/v1/locks", "").status()).isEqualTo(401);
    }

    @Test
    void listingsShowOnlyWhatTheKeyMaySee() {
        String shop = made("shop", "--role", "use", "--prefix", "shop", "--prefix", "till");
        String session = session(admin);
        List<String> names = List.of("bank-1", "shop-1", "shop-2", "shop-3", "tea", "till-1", "till-2", "zoo");
        names.forEach(name ->
                assertThat(acquire(admin, session, name, "PT0S").status()).isEqualTo(200));
        assertThat(locks(shop, "limit=100")).containsExactly("shop-1", "shop-2", "shop-3", "till-1", "till-2");
        assertThat(locks(shop, "prefix=shop-2")).containsExactly("shop-2");
        assertThat(locks(shop, "prefix=t")).containsExactly("till-1", "till-2");
        assertThat(locks(shop, "prefix=bank")).isEmpty();
        List<String> paged = new ArrayList<>();
        String after = "";
        do {
            Answer page = call(shop, "GET", "/v1/locks?limit=2&after=" + after, "");
            page.json()
                    .path("locks")
                    .forEach(lock -> paged.add(lock.path("name").asString()));
            after = page.json().path("next").asString("");
            assertThat(after).doesNotContain("bank", "tea", "zoo");
        } while (!after.isEmpty());
        assertThat(paged).containsExactly("shop-1", "shop-2", "shop-3", "till-1", "till-2");

        call(admin, "PUT", "/v1/ids/shop-ids", "{\"kind\":\"uuid\"}");
        call(admin, "PUT", "/v1/ids/bank-ids", "{\"kind\":\"uuid\"}");
        assertThat(call(shop, "GET", "/v1/ids", "").text()).contains("shop-ids").doesNotContain("bank", "default");
        assertThat(call(admin, "GET", "/v1/ids", "").text()).contains("shop-ids", "bank-ids", "default");
    }

    private List<String> locks(String key, String query) {
        return StreamSupport.stream(
                        call(key, "GET", "/v1/locks?" + query, "")
                                .json()
                                .path("locks")
                                .spliterator(),
                        false)
                .map(lock -> lock.path("name").asString())
                .toList();
    }

    @Test
    void aKeyMayOnlyUseSessionsThatItOpened() {
        String one = made("one", "--role", "use");
        String other = made("other", "--role", "use");
        String session = session(one);
        long token = acquire(one, session, "a", "PT0S").json().path("token").asLong();
        String held = "{\"session\":\"" + session + "\",\"token\":" + token + "}";
        for (String thief : List.of(other, admin)) {
            assertThat(acquire(thief, session, "b", "PT0S").status()).isEqualTo(403);
            assertThat(call(thief, "POST", "/v1/locks/a/renew", held).status()).isEqualTo(403);
            assertThat(call(thief, "POST", "/v1/locks/a/release", held).status())
                    .isEqualTo(403);
            assertThat(call(thief, "POST", "/v1/sessions/" + session + "/keepalive", "")
                            .status())
                    .isEqualTo(403);
            assertThat(call(thief, "DELETE", "/v1/sessions/" + session, "").status())
                    .isEqualTo(403);
            String own = session(thief);
            assertThat(call(thief, "POST", "/v1/locks/a/release", held.replace(session, own))
                            .problem())
                    .isEqualTo("lock-not-held");
            String forged = session.substring(0, session.lastIndexOf('-')) + own.substring(own.lastIndexOf('-'));
            assertThat(acquire(thief, forged, "b", "PT0S").problem()).isEqualTo("unknown-session");
            call(thief, "DELETE", "/v1/sessions/" + own, "");
        }
        assertThat(call(one, "POST", "/v1/locks/a/release", held).status()).isEqualTo(200);
    }

    @Test
    void aRequestIdThatAnotherKeyHasChosenIsAnotherRequest() {
        String one = made("one", "--role", "use");
        String other = made("other", "--role", "use");
        String body = "{\"session\":\"%s\",\"requestId\":\"report-1\"}";
        String path = "/v1/locks/a/acquire";
        Answer first = call(one, "POST", path, body.formatted(session(one)));
        assertThat(first.json().path("requestId").asString()).isEqualTo("report-1");
        long token = first.json().path("token").asLong();
        String session = session(other);
        assertThat(call(other, "POST", path, body.formatted(session)).problem()).isEqualTo("lock-not-acquired");
        String held = "{\"session\":\"" + session + "\",\"token\":" + token + "}";
        assertThat(call(other, "POST", "/v1/locks/a/release", held).problem()).isEqualTo("lock-not-held");
        String long200 = body.formatted(session).replace("report-1", "r".repeat(200));
        assertThat(call(other, "POST", path, long200).problem()).isEqualTo("bad-name");
    }

    @Test
    void theIdBuilderInterfaceAsksForTheNameBehindTheCode() {
        String shop = made("shop", "--role", "use", "--prefix", "shop");
        call(admin, "PUT", "/v1/ids/shop-ids", "{\"kind\":\"segment\",\"code\":1}");
        call(admin, "PUT", "/v1/ids/bank-ids", "{\"kind\":\"segment\",\"code\":2}");
        assertThat(call(shop, "GET", "/id-builder/increase-seq-id?code=1", "").status())
                .isEqualTo(200);
        assertThat(call(shop, "GET", "/id-builder/increase-seq-id?code=2", "").status())
                .isEqualTo(403);
        assertThat(call(shop, "GET", "/id-builder/increase-seq-id?code=3", "").status())
                .isEqualTo(403);
        assertThat(call(admin, "GET", "/id-builder/increase-seq-id?code=2", "").status())
                .isEqualTo(200);
    }

    @Test
    void sessionsAndWaitersHaveALimitAKeyAndInAll() {
        String one = made("one", "--role", "use");
        String other = made("other", "--role", "use");
        List<String> sessions = new ArrayList<>(List.of(session(one), session(one), session(one)));
        Answer refused = call(one, "POST", "/v1/sessions", "");
        assertThat(refused.status()).isEqualTo(429);
        assertThat(refused.problem()).isEqualTo("too-many-sessions");
        assertThat(refused.header("Retry-After")).isEqualTo("1");
        assertThat(refused.detail()).contains("With your key, 3");
        String free = session(other);
        session(admin);
        assertThat(call(other, "POST", "/v1/sessions", "").detail()).startsWith("5 ");
        call(one, "DELETE", "/v1/sessions/" + sessions.remove(0), "");
        sessions.add(session(one));

        acquire(other, free, "a", "PT0S");
        String wait = "{\"session\":\"" + sessions.get(0) + "\",\"wait\":\"PT60S\",\"requestId\":\"r%d\"}";
        for (int i = 0; i < 2; i++) {
            client.send("POST", "/v1/locks/a/acquire", wait.formatted(i), "Authorization", "Bearer " + one);
        }
        await().until(() ->
                call(admin, "GET", "/v1/locks/a", "").json().path("queue").size() == 2);
        assertThat(acquire(one, sessions.get(1), "a", "PT60S").problem()).isEqualTo("too-many-waiters");
        assertThat(acquire(one, sessions.get(1), "b", "PT0S").status())
                .as("what does not wait is not counted")
                .isEqualTo(200);
        call(one, "DELETE", "/v1/sessions/" + sessions.get(0), "");
        await().until(() ->
                acquire(one, sessions.get(1), "a", "PT0.1S").problem().equals("lock-not-acquired"));
    }

    @Test
    void theAuditLogSaysWhoDidWhatAndWhy() {
        String session = session(admin);
        acquire(admin, session, "a", "PT0S");
        call(admin, "DELETE", "/v1/locks/a?reason=stuck%20%22since%22%0dMonday".replace("%0d", "+"), "");
        call(admin, "PUT", "/v1/ids/seq", "{\"kind\":\"sequence\"}");
        call(admin, "PUT", "/v1/ids/seq", "{\"kind\":\"sequence\"}"); // changes nothing
        call(admin, "POST", "/v1/ids/seq/raise", "{\"above\":\"7\"}");
        call(admin, "POST", "/v1/public-ids/rotate", "");
        call(admin, "DELETE", "/v1/locks/nothing?reason=r", "");
        assertThat(deeds)
                .extracting(Deed::what, Deed::who, Deed::on)
                .containsExactly(
                        tuple("lock-evicted", "root", "a"),
                        tuple("ids-defined", "root", "seq"),
                        tuple("ids-raised", "root", "seq"),
                        tuple("public-key-rotated", "root", ""));
        assertThat(deeds.element().line())
                .contains("\"why\":\"stuck \\\"since\\\" Monday\"", "\"owner\":\"o\"", "\"time\":\"20")
                .doesNotContain("\n");
    }
}
