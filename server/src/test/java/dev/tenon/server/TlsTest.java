package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKey.Proof;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Audit;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Limits;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import dev.tenon.server.transport.Tls;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.testkit.TestAuthority.Identity;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSecrets;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The public port with TLS, and with certificates of clients. */
class TlsTest {
    private final TestAuthority authority = new TestAuthority("Tenon Test");
    private final TestAuthority stranger = new TestAuthority("Somebody Else");

    @TempDir
    private Path folder;

    private Path certificate;
    private Path key;
    private Path clientCa;

    @BeforeEach
    void files() throws IOException {
        certificate = folder.resolve("server.pem");
        key = folder.resolve("server.key");
        clientCa = Files.writeString(folder.resolve("ca.pem"), authority.certificate());
        write(authority.issue("CN=first"));
    }

    private void write(Identity identity) throws IOException {
        Files.writeString(certificate, identity.certificate());
        Files.writeString(key, identity.key());
    }

    private Node node(Gate gate, boolean clients, boolean required) {
        Tls tls = new Tls(
                new Tls.Sources(certificate, key, clients ? Optional.of(clientCa) : Optional.empty(), required));
        Protection protection = new Protection(
                Audit.LOG,
                Limits.DEFAULT,
                Optional.of(tls),
                Set.of(),
                Set.of(),
                HttpTargets.ANY,
                WebhookSecrets.NONE,
                List.of(tls::runOnce));
        return Node.start(
                NodeOptions.at("127.0.0.1", 0).withGate(gate).withProtection(protection), new MemoryServerBackend());
    }

    private HttpClient client(@Nullable Identity identity) {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            KeyStore own = KeyStore.getInstance("PKCS12");
            try {
                trusted.load(null, null);
                own.load(null, null);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
            trusted.setCertificateEntry("ca", parsed(authority.certificate()));
            if (identity != null) {
                String der = identity.key().replaceAll("-----[^-]+-----|\\s", "");
                own.setKeyEntry(
                        "own",
                        KeyFactory.getInstance("EC")
                                .generatePrivate(new PKCS8EncodedKeySpec(
                                        Base64.getDecoder().decode(der))),
                        new char[0],
                        new Certificate[] {parsed(identity.certificate())});
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(own, new char[0]);
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return HttpClient.newBuilder().sslContext(tls).build();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Certificate parsed(String pem) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    private static HttpResponse<String> call(
            HttpClient client, Node node, String method, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + node.port() + path))
                .method(method, BodyPublishers.noBody());
        if (headers.length > 0) {
            request.headers(headers);
        }
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static String subject(HttpResponse<String> response) throws IOException {
        return ((X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0])
                .getSubjectX500Principal()
                .getName();
    }

    @Test
    void bothVersionsOfHttpAreSpokenOverTlsAndNothingInPlainText() throws Exception {
        try (Node node = node(Gate.OPEN, false, true)) {
            HttpResponse<String> two = call(client(null), node, "POST", "/v1/ids/default/next");
            assertThat(two.statusCode()).isEqualTo(200);
            assertThat(two.version()).isEqualTo(HttpClient.Version.HTTP_2);
            HttpRequest old = HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + node.port() + "/healthz"))
                    .version(HttpClient.Version.HTTP_1_1)
                    .build();
            HttpResponse<String> one = client(null).send(old, BodyHandlers.ofString());
            assertThat(one.version()).isEqualTo(HttpClient.Version.HTTP_1_1);
            assertThat(one.statusCode()).isEqualTo(200);
            try (Socket plain = new Socket("127.0.0.1", node.port())) {
                plain.getOutputStream()
                        .write("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(new String(plain.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
                        .doesNotContain("HTTP");
            }
        }
    }

    @Test
    void whoHasNoCertificateOfTheAuthorityIsNotServed() throws Exception {
        try (Node node = node(Gate.OPEN, true, true)) {
            Identity shop = authority.issue("CN=shop");
            assertThat(call(client(shop), node, "GET", "/healthz").statusCode()).isEqualTo(200);
            assertThatThrownBy(() -> call(client(null), node, "GET", "/healthz"))
                    .isInstanceOf(IOException.class);
            assertThatThrownBy(() -> call(client(stranger.issue("CN=shop")), node, "GET", "/healthz"))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void aCertificateStandsForAKeyAndSoDoesAKeyInstead() throws Exception {
        ApiKey.Fresh fresh = ApiKey.fresh(new SecureRandom());
        ApiKeys keys = new ApiKeys(List.of(
                holder("00000001", "shop", new Proof.Certificate("CN=shop, O=Example")),
                holder(fresh.id(), "bank", new Proof.Secret(fresh.sha256()))));
        try (Node node = node(new KeyGate(() -> keys), true, false)) {
            String next = "/v1/ids/default/next";
            Identity shop = authority.issue("CN=shop,O=Example");
            assertThat(call(client(shop), node, "POST", next).statusCode()).isEqualTo(200);
            assertThat(call(client(shop), node, "DELETE", "/v1/locks/a?reason=r")
                            .statusCode())
                    .isEqualTo(403);
            HttpResponse<String> other = call(client(authority.issue("CN=shop")), node, "POST", next);
            assertThat(other.statusCode()).isEqualTo(401);
            assertThat(other.body()).contains("CN=shop", "--certificate");
            assertThat(call(client(null), node, "POST", next).statusCode()).isEqualTo(401);
            assertThat(call(client(null), node, "POST", next, "Authorization", "Bearer " + fresh.text())
                            .statusCode())
                    .isEqualTo(200);
            assertThat(call(client(shop), node, "POST", next, "Authorization", "Bearer wrong")
                            .statusCode())
                    .as("a wrong key is not made good by a certificate")
                    .isEqualTo(401);
        }
    }

    private static ApiKey holder(String id, String name, Proof proof) {
        Set<Scope> both = Set.of(Scope.IDS, Scope.LOCKS);
        return new ApiKey(id, name, Right.USE, both, List.of(""), proof, Instant.EPOCH, "test");
    }

    @Test
    void aNewCertificateIsShownWithoutARestart() throws Exception {
        try (Node node = node(Gate.OPEN, false, true)) {
            assertThat(subject(call(client(null), node, "GET", "/healthz"))).isEqualTo("CN=first");
            Identity second = authority.issue("CN=second");
            Files.writeString(certificate, second.certificate()); // its key comes later
            HttpClient before = client(null);
            assertThat(subject(call(before, node, "GET", "/healthz"))).isEqualTo("CN=first");
            Files.writeString(key, second.key());
            await().until(() ->
                    subject(call(client(null), node, "GET", "/healthz")).equals("CN=second"));
            assertThat(call(client(null), node, "GET", "/healthz").version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(call(before, node, "GET", "/healthz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void filesThatAreNotWhatTheyShouldBeAreNamed() throws IOException {
        Identity other = authority.issue("CN=other");
        Files.writeString(key, other.key());
        assertRefused("server.key", "not the key of the first certificate");
        Files.writeString(key, "nonsense");
        assertRefused("server.key", "PKCS#8");
        Files.writeString(certificate, "nonsense");
        assertRefused("server.pem", "BEGIN CERTIFICATE");
        Files.delete(certificate);
        assertRefused("server.pem", "can't be read");
    }

    private void assertRefused(String... words) {
        assertThatThrownBy(() -> new Tls(new Tls.Sources(certificate, key, Optional.empty(), true)))
                .isInstanceOf(IllegalArgumentException.class)
                .message()
                .contains(words);
    }
}
