package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** An etcd behind TLS that asks each client for a certificate; one and the same, signed by itself, serves all. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EtcdTlsTest {
    private static final char[] PASSWORD = "password".toCharArray();
    private static final String NAME = "tenon";

    private final EtcdAddress address = EtcdServer.shared();

    private Path folder;
    private KeyStore keys;
    private SSLServerSocket front;

    @BeforeAll
    void open(@TempDir Path temporary) throws Exception {
        folder = temporary;
        Path store = folder.resolve("keys.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        NAME,
                        "-dname",
                        "CN=tenon",
                        "-validity",
                        "2",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD))
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        assertThat(keytool.waitFor(1, TimeUnit.MINUTES)).isTrue();
        keys = KeyStore.getInstance(store.toFile(), PASSWORD);
        write("certificate.pem", "CERTIFICATE", keys.getCertificate(NAME).getEncoded());
        write("key.pem", "PRIVATE KEY", keys.getKey(NAME, PASSWORD).getEncoded());
        front = serve();
    }

    @AfterAll
    void close() throws IOException {
        front.close();
    }

    @Test
    void bothSidesShowTheirCertificates() {
        try (EtcdBackend etcd = EtcdBackend.connect(options(Optional.of(certificate()), true))) {
            assertThat(etcd.ranges().next("sequence", 1).first()).isEqualTo(1);
        }
    }

    @Test
    void aServerThatIsNotTrustedIsToldNothing() {
        assertThatThrownBy(() -> EtcdBackend.connect(options(Optional.empty(), true)))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("can't be reached");
    }

    @Test
    void whoShowsNoCertificateIsRefused() {
        assertThatThrownBy(() -> EtcdBackend.connect(options(Optional.of(certificate()), false)))
                .isInstanceOf(BackendUnavailableException.class);
    }

    private EtcdOptions options(Optional<Path> authority, boolean withIdentity) {
        EtcdOptions.Identity identity = new EtcdOptions.Identity(certificate(), folder.resolve("key.pem"));
        return EtcdOptions.of("https://127.0.0.1:" + front.getLocalPort())
                .withKeyPrefix(address.keyPrefix())
                .withCommandTimeout(Duration.ofSeconds(20))
                .withTls(new EtcdOptions.Tls(authority, withIdentity ? Optional.of(identity) : Optional.empty()));
    }

    private Path certificate() {
        return folder.resolve("certificate.pem");
    }

    private void write(String file, String kind, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n");
    }

    /** Takes TLS off in front of the etcd of all tests. */
    private SSLServerSocket serve() throws Exception {
        KeyManagerFactory identity = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        identity.init(keys, PASSWORD);
        KeyStore clients = KeyStore.getInstance("PKCS12");
        clients.load(null, null);
        clients.setCertificateEntry(NAME, keys.getCertificate(NAME));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(clients);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(identity.getKeyManagers(), trust.getTrustManagers(), null);
        SSLServerSocket socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        parameters.setNeedClientAuth(true);
        socket.setSSLParameters(parameters);
        daemon(() -> {
            while (true) {
                SSLSocket client = (SSLSocket) socket.accept();
                Socket server = new Socket(address.host(), address.port());
                daemon(() -> pump(client, server));
                daemon(() -> pump(server, client));
            }
        });
        return socket;
    }

    private static void pump(Socket from, Socket to) throws IOException {
        try (from;
                to;
                InputStream in = from.getInputStream()) {
            byte[] buffer = new byte[8192];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                to.getOutputStream().write(buffer, 0, n);
                to.getOutputStream().flush();
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static void daemon(Work work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // The test is over, or a side has closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
