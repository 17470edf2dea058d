package dev.tenon.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.TenonException;
import dev.tenon.testkit.TestAuthority;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** {@code grpcs://}: a participant is called if the JDK trusts its certificate, and nobody is told anything if not. */
@ResourceLock(Resources.SYSTEM_PROPERTIES)
class GrpcParticipantsTlsTest {
    private static final String TRUST_STORE = "javax.net.ssl.trustStore";
    private static final String PASSWORD = "javax.net.ssl.trustStorePassword";

    private final TestAuthority authority = new TestAuthority("tests");
    private final GrpcParticipants callers = GrpcParticipants.create(Duration.ofMinutes(2));
    private Server server;

    @TempDir
    private Path folder;

    @BeforeEach
    void serve() throws Exception {
        TestAuthority.Identity identity = authority.issue("CN=stock");
        Participants named =
                target -> target.equals("stock") ? Optional.of(call -> Reply.done("over TLS")) : Optional.empty();
        server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
                .useTransportSecurity(stream(identity.certificate()), stream(identity.key()))
                .addService(ParticipantService.of(named))
                .build()
                .start();
    }

    @AfterEach
    void close() {
        System.clearProperty(TRUST_STORE);
        System.clearProperty(PASSWORD);
        callers.close();
        server.shutdownNow();
    }

    @Test
    void oneThatTheJdkTrustsIsCalled() throws Exception {
        trust(authority);
        assertThat(call("grpcs")).isEqualTo(Reply.done("over TLS"));
    }

    @Test
    void oneThatSomebodyElseVouchesForIsNotCalled() throws Exception {
        trust(new TestAuthority("others"));
        assertThatThrownBy(() -> call("grpcs"))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("UNAVAILABLE");
    }

    @Test
    void oneThatSpeaksTlsIsNotCalledWithoutIt() throws Exception {
        trust(authority);
        assertThatThrownBy(() -> call("grpc"))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("UNAVAILABLE");
    }

    private Reply call(String scheme) throws Exception {
        String target = scheme + "://127.0.0.1:" + server.getPort() + "/stock";
        return callers.find(target)
                .orElseThrow()
                .call(new BranchCall(new TransactionId("a"), "stock", Operation.ACTION, target, "", Map.of(), 1));
    }

    private void trust(TestAuthority trusted) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "trusted", CertificateFactory.getInstance("X.509").generateCertificate(stream(trusted.certificate())));
        Path file = folder.resolve("trusted.p12");
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, "changeit".toCharArray());
        }
        System.setProperty(TRUST_STORE, file.toString());
        System.setProperty(PASSWORD, "changeit");
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.US_ASCII));
    }
}
