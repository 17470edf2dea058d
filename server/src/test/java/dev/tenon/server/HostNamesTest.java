package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.Gate;
import dev.tenon.server.access.HostNames;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.transport.Tls;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.testkit.TestAuthority.Identity;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Under which names a server may be asked, wherever it listens: what a page can do that has its own name lead there.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostNamesTest {
    private static final String EVIL = "evil.example";
    private static final String NEXT = "/v1/ids/default/next";
    private static final int LIMIT_SECONDS = 60;

    private final TestAuthority authority = new TestAuthority("Tenon Test");
    private Vertx vertx;

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
    }

    @AfterAll
    void stop() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    /** An answer to a request under a name. */
    private record Answer(int status, String grpcStatus, String body) {
        private boolean refused() {
            return status == 403 && body.contains("cross-site");
        }
    }

    private Answer ask(Node node, HttpClientOptions how, String name, String contentType) throws Exception {
        HttpClient client = vertx.createHttpClient(how.setHttp2ClearTextUpgrade(false));
        RequestOptions request = new RequestOptions()
                .setHost("127.0.0.1")
                .setPort(node.port())
                .setMethod(HttpMethod.POST)
                .setURI(contentType.isEmpty() ? NEXT : "/tenon.v1.NamedIds/Next");
        return client.request(request)
                .compose(sent -> {
                    sent.authority(HostAndPort.create(name, node.port()));
                    if (!contentType.isEmpty()) {
                        sent.putHeader("content-type", contentType);
                    }
                    return sent.send();
                })
                .compose(answer -> answer.body().map(body -> answered(answer, body)))
                .onComplete(done -> client.close())
                .toCompletionStage()
                .toCompletableFuture()
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    private static Answer answered(HttpClientResponse answer, Buffer body) {
        String grpc = answer.getHeader("grpc-status");
        return new Answer(answer.statusCode(), grpc == null ? "" : grpc, body.toString());
    }

    private Answer ask(Node node, String name) throws Exception {
        return ask(node, new HttpClientOptions(), name, "");
    }

    private static HttpClientOptions over(HttpVersion version) {
        return new HttpClientOptions().setProtocolVersion(version);
    }

    private static Node node(String host, Gate gate, Protection protection) {
        return Node.start(NodeOptions.at(host, 0).withGate(gate).withProtection(protection), new MemoryServerBackend());
    }

    private static Protection hosts(String... names) {
        return Protection.DEFAULT.withHosts(Set.of(names));
    }

    private Tls tls(Path folder, Identity identity, boolean clients) throws IOException {
        Path certificate = Files.writeString(folder.resolve("server.pem"), identity.certificate());
        Path key = Files.writeString(folder.resolve("server.key"), identity.key());
        Path ca = Files.writeString(folder.resolve("ca.pem"), authority.certificate());
        return new Tls(new Tls.Sources(certificate, key, clients ? Optional.of(ca) : Optional.empty(), false));
    }

    private HttpClientOptions encrypted() {
        Identity client = authority.issue("CN=client");
        return new HttpClientOptions()
                .setSsl(true)
                .setVerifyHost(false)
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(authority.certificate())))
                .setKeyCertOptions(new PemKeyCertOptions()
                        .addCertValue(Buffer.buffer(client.certificate()))
                        .addKeyValue(Buffer.buffer(client.key())));
    }

    @ParameterizedTest
    @EnumSource(
            value = HttpVersion.class,
            names = {"HTTP_1_1", "HTTP_2"})
    void aServerThatListensEverywhereIsNotAskedUnderANameOfSomebodyElse(HttpVersion version) throws Exception {
        try (Node node = node("0.0.0.0", Gate.OPEN, hosts("tenon.example.com"))) {
            assertThat(ask(node, over(version), EVIL, "").refused()).isTrue();
            assertThat(ask(node, over(version), "127.0.0.1.evil.example", "").refused())
                    .isTrue();
            for (String own : List.of("127.0.0.1", "tenon", "localhost", "tenon.example.com", "Tenon.Example.com.")) {
                assertThat(ask(node, over(version), own, "").status()).as(own).isEqualTo(200);
            }
        }
    }

    @Test
    void norIsItByGrpc() throws Exception {
        try (Node node = node("0.0.0.0", Gate.OPEN, hosts("tenon.example.com"))) {
            assertThat(ask(node, over(HttpVersion.HTTP_2), EVIL, "application/grpc")
                            .grpcStatus())
                    .as("PERMISSION_DENIED")
                    .isEqualTo("7");
            assertThat(ask(node, over(HttpVersion.HTTP_2), "tenon.example.com", "application/grpc")
                            .grpcStatus())
                    .isNotEqualTo("7");
        }
    }

    @Test
    void theRefusalSaysWhatToDo() throws Exception {
        String service = "tenon.prod.svc.cluster.local";
        try (Node node = node("0.0.0.0", Gate.OPEN, Protection.DEFAULT)) {
            Answer refused = ask(node, service);
            assertThat(refused.refused()).isTrue();
            assertThat(refused.body()).contains("--allow-host=" + service, "-e TENON_ALLOW_HOST=" + service);
        }
        try (Node node = node("0.0.0.0", Gate.OPEN, hosts("*.svc.cluster.local"))) {
            assertThat(ask(node, service).status()).isEqualTo(200);
            assertThat(ask(node, "svc.cluster.local").refused()).isTrue();
        }
        try (Node node = node("0.0.0.0", Gate.OPEN, hosts("*"))) {
            assertThat(ask(node, EVIL).status()).isEqualTo(200);
        }
    }

    @Test
    void whereEachRequestNeedsAKeyThePageHasNone(@TempDir Path folder) throws Exception {
        Gate keys = new KeyGate(() -> new ApiKeys(List.of()));
        try (Node node = node("0.0.0.0", keys, Protection.DEFAULT)) {
            assertThat(ask(node, "ids.example.com").status()).isEqualTo(401);
        }
        try (Node node = node("127.0.0.1", keys, Protection.DEFAULT)) {
            assertThat(ask(node, EVIL).refused()).as("on loopback too").isTrue();
        }
        Tls mutual = tls(folder, authority.issue("CN=server"), true);
        try (Node node = node("0.0.0.0", keys, Protection.DEFAULT.withTls(mutual))) {
            assertThat(ask(node, encrypted(), EVIL, "").refused())
                    .as("a browser shows its certificate unasked")
                    .isTrue();
            assertThat(ask(node, encrypted(), "127.0.0.1", "").status()).isEqualTo(401);
        }
    }

    @Test
    void theNamesOfItsCertificateAreItsOwn(@TempDir Path folder) throws Exception {
        Tls tls = tls(folder, authority.issue("CN=server", "ids.example.com", "*.svc.example.com"), false);
        try (Node node = node("0.0.0.0", Gate.OPEN, Protection.DEFAULT.withTls(tls))) {
            assertThat(ask(node, encrypted(), "ids.example.com", "").status()).isEqualTo(200);
            assertThat(ask(node, encrypted(), "a.svc.example.com", "").status()).isEqualTo(200);
            assertThat(ask(node, encrypted(), EVIL, "").refused()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "10.1.2.3, true",
        "[::1], true",
        "localhost, true",
        "a.localhost, true",
        "tenon, true",
        "tenon., true",
        "ids.example.com, true",
        "IDS.EXAMPLE.COM., true",
        "a.example.org, true",
        "a.b.example.org, true",
        "example.org, false",
        "aexample.org, false",
        "evil.example, false",
        "ids.example.com.evil.example, false",
        "1.2.3.4.5, false",
        "[::1].evil.example, false",
        "., false",
        "'', false",
    })
    void namesAreAddressesSingleWordsOrAllowed(String asked, boolean allowed) {
        assertThat(HostNames.of(List.of("ids.example.com", "*.example.org")).allows(asked))
                .isEqualTo(allowed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https://ids.example.com", "ids.example.com:7700", "*.", "a.*.b", "**", "", "a b", "a/b"})
    void whatIsNoNameIsRefusedAtTheStart(String name) {
        assertThatThrownBy(() -> HostNames.of(List.of(name)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--allow-host");
    }
}
