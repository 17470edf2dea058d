package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.Protection;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.transport.Tls;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of servers that ask who it is: TLS, its own certificate, API keys. */
class ClientSecurityTest {
    private static final TestAuthority AUTHORITY = new TestAuthority("Tenon Test");
    private static final TestAuthority STRANGER = new TestAuthority("Somebody Else");
    private static final ApiKey.Fresh SHOP = ApiKey.fresh(new SecureRandom());
    private static final ApiKey.Fresh ROOT = ApiKey.fresh(new SecureRandom());
    private static final ApiKeys KEYS = new ApiKeys(List.of(
            key(SHOP.id(), "shop", Right.USE, "shop/", new ApiKey.Proof.Secret(SHOP.sha256())),
            key(ROOT.id(), "root", Right.ADMIN, "", new ApiKey.Proof.Secret(ROOT.sha256())),
            key("0a0b0c0d", "billing", Right.USE, "", new ApiKey.Proof.Certificate("CN=billing"))));

    @TempDir
    private static Path folder;

    private static Path trusted;
    /** Asks for a key, or a certificate. */
    private static Node either;
    /** Asks for a certificate, whose ever. */
    private static Node certified;

    private final String name = "shop/" + UUID.randomUUID();

    private static ApiKey key(String id, String name, Right role, String prefix, ApiKey.Proof proof) {
        return new ApiKey(
                id,
                name,
                role,
                Set.of(Scope.IDS, Scope.LOCKS, Scope.TRANSACTIONS),
                List.of(prefix),
                proof,
                Instant.EPOCH,
                "test");
    }

    @BeforeAll
    static void start() throws IOException {
        trusted = Files.writeString(folder.resolve("ca.pem"), AUTHORITY.certificate());
        either = node(new KeyGate(() -> KEYS), false);
        certified = node(Gate.OPEN, true);
    }

    @AfterAll
    static void stop() {
        either.close();
        certified.close();
    }

    private static Node node(Gate gate, boolean certificatesOnly) throws IOException {
        ClientOptions.Identity own = identity(AUTHORITY, "server");
        Tls tls = new Tls(new Tls.Sources(own.certificate(), own.key(), Optional.of(trusted), certificatesOnly));
        Protection protection = new Protection(
                Audit.LOG,
                Limits.DEFAULT,
                Optional.of(tls),
                Set.of(),
                Set.of(),
                HttpTargets.ANY,
                WebhookSecrets.NONE,
                List.of());
        return Clients.memoryNode(NodeOptions.at("127.0.0.1", 0).withGate(gate).withProtection(protection));
    }

    private static ClientOptions.Identity identity(TestAuthority authority, String name) throws IOException {
        TestAuthority.Identity issued = authority.issue("CN=" + name);
        return new ClientOptions.Identity(
                Files.writeString(folder.resolve(name + ".pem"), issued.certificate()),
                Files.writeString(folder.resolve(name + ".key"), issued.key()));
    }

    private static ClientOptions of(Node node) {
        return ClientOptions.of("127.0.0.1:" + node.port())
                .withCallTimeout(Clients.PATIENCE)
                .withTls(ClientOptions.Tls.trusting(trusted));
    }

    private static ClientOptions withCertificate(Node node, ClientOptions.Identity identity) {
        return of(node).withTls(new ClientOptions.Tls(Optional.of(trusted), Optional.of(identity)));
    }

    @Test
    void withAKeyOverTlsLocksAreTakenAndHandedOver() throws Exception {
        try (TenonClient one = TenonClient.connect(of(either).withApiKey(SHOP.text()));
                TenonClient other = TenonClient.connect(of(either).withApiKey(ROOT.text()))) {
            Lease held = one.locks().lock(name).acquire(Clients.PATIENCE);
            CompletableFuture<Lease> waiting =
                    other.locks().lock(name).acquireAsync(Clients.PATIENCE).toCompletableFuture();
            held.close();
            try (Lease next = waiting.get(30, TimeUnit.SECONDS)) {
                assertThat(next.token()).isGreaterThan(held.token());
                assertThat(one.locks().validate(name, next.token())).isTrue();
            }
            assertThat(one.ranges().next(name, 5).count()).isEqualTo(5);
        }
    }

    @Test
    void whatTheKeyIsNotForIsRefusedAndSaid() {
        try (TenonClient shop = TenonClient.connect(of(either).withApiKey(SHOP.text()))) {
            assertThatThrownBy(() -> shop.locks().lock("bank/report").tryAcquire())
                    .isInstanceOf(TenonException.class)
                    .isNotInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("shop/");
            assertThatThrownBy(() -> shop.ranges().next("bank/numbers", 1))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("shop/");
            assertThatThrownBy(() -> shop.locks().evict(name, 1, "test"))
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("admin");
            assertThatThrownBy(() -> shop.definitions().all())
                    .isInstanceOf(TenonException.class)
                    .hasMessageContaining("for some names only");
        }
    }

    @Test
    void withoutAKeyOrWithAWrongOneNothingIsDone() {
        for (ClientOptions options : List.of(
                of(either),
                of(either).withApiKey(ApiKey.fresh(new SecureRandom()).text()))) {
            assertThatThrownBy(() -> {
                        try (TenonClient stranger = TenonClient.connect(options)) {
                            stranger.ranges().next(name, 1);
                        }
                    })
                    .isInstanceOf(TenonException.class)
                    .isNotInstanceOf(BackendUnavailableException.class)
                    .hasMessageContaining("API key");
        }
        try (TenonClient root = TenonClient.connect(of(either).withApiKey(ROOT.text()))) {
            assertThat(root.ranges().definition(name)).isEmpty();
        }
    }

    @Test
    void aCertificateStandsForTheKeyThatWasMadeForIt() throws Exception {
        try (TenonClient billing = TenonClient.connect(withCertificate(either, identity(AUTHORITY, "billing")))) {
            assertThat(billing.ranges().next(name, 1).first()).isEqualTo(1);
        }
        assertThatThrownBy(() -> {
                    try (TenonClient unknown =
                            TenonClient.connect(withCertificate(either, identity(AUTHORITY, "nobody")))) {
                        unknown.ranges().next(name, 1);
                    }
                })
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("CN=nobody");
    }

    @Test
    void whereCertificatesAreAskedForOnlyThoseOfItsAuthorityPass() throws Exception {
        try (TenonClient known = TenonClient.connect(withCertificate(certified, identity(AUTHORITY, "anyone")))) {
            known.locks().lock(name).acquire(Clients.PATIENCE).close();
        }
        ClientOptions none = of(certified).withCallTimeout(Duration.ofSeconds(1));
        ClientOptions foreign =
                withCertificate(certified, identity(STRANGER, "foreign")).withCallTimeout(Duration.ofSeconds(1));
        for (ClientOptions options : List.of(none, foreign)) {
            assertThatThrownBy(() -> TenonClient.connect(options)).isInstanceOf(TenonException.class);
        }
    }

    @Test
    void aServerThatCannotProveWhoItIsIsNotSpokenTo() throws Exception {
        Path other = Files.writeString(folder.resolve("other.pem"), STRANGER.certificate());
        ClientOptions mistrusting = of(either)
                .withCallTimeout(Duration.ofSeconds(1))
                .withTls(ClientOptions.Tls.trusting(other))
                .withApiKey(ROOT.text());
        assertThatThrownBy(() -> TenonClient.connect(mistrusting)).isInstanceOf(BackendUnavailableException.class);
    }

    @Test
    void withoutTlsAServerThatHasItIsUnavailable() {
        ClientOptions plain = ClientOptions.of("127.0.0.1:" + either.port())
                .withCallTimeout(Duration.ofSeconds(1))
                .withApiKey(ROOT.text());
        assertThatThrownBy(() -> TenonClient.connect(plain)).isInstanceOf(TenonException.class);
    }

    @Test
    void aSessionIsOfNoUseToAnotherKey() {
        try (TenonClient shop = TenonClient.connect(of(either).withApiKey(SHOP.text()));
                TenonClient root = TenonClient.connect(of(either).withApiKey(ROOT.text()))) {
            String session = Sessions.open(shop.lockStore());
            Acquire wish = new Acquire(
                    name, session, UUID.randomUUID().toString(), "o", Optional.of(Clients.PATIENCE), Duration.ZERO);
            assertThat(Sessions.join(root.lockStore().keepAlive(session))).isFalse();
            assertThat(Sessions.join(root.lockStore().acquire(wish))).isInstanceOf(Outcome.NoSession.class);
            Sessions.join(root.lockStore().closeSession(session));
            assertThat(Sessions.join(shop.lockStore().acquire(wish))).isInstanceOf(Outcome.Granted.class);
        }
    }
}
