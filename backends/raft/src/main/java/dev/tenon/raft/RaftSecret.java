package dev.tenon.raft;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of a cluster share, so that they know each other: a file with one private key and its certificate
 * (PKCS #12), the same on every node. Each shows the certificate, and talks to none that shows another one or none
 * (TLS, mutual). Whoever can read the file is a node.
 *
 * <p>The certificate names no host, and its dates are not looked at: there is one, and nobody else can have it. The
 * file's own password is in this class and protects nothing; that its owner alone may read the file does.
 *
 * <p>Immutable, thread-safe.
 */
public final class RaftSecret {
    private static final String PASSWORD = "tenon-cluster-secret";
    private static final String ALIAS = "node";
    private static final String VALID_DAYS = "36500";
    private static final long KEYTOOL_SECONDS_MAX = 60;

    private final KeyManager own;
    private final X509Certificate certificate;

    private RaftSecret(KeyManager own, X509Certificate certificate) {
        this.own = own;
        this.certificate = certificate;
    }

    /**
     * Reads a secret that {@link #create} made.
     *
     * @throws IllegalArgumentException if it can't be read, or is something else
     */
    public static RaftSecret read(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD.toCharArray());
            if (!(store.getCertificate(ALIAS) instanceof X509Certificate certificate) || !store.isKeyEntry(ALIAS)) {
                throw new IllegalArgumentException(
                        "The cluster secret " + file + " has no key in it: make another one");
            }
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, PASSWORD.toCharArray());
            return new RaftSecret(keys.getKeyManagers()[0], certificate);
        } catch (IOException | GeneralSecurityException e) {
            String reason = Files.isReadable(file) ? "is none, or damaged" : "can't be read";
            throw new IllegalArgumentException("The cluster secret " + file + " " + reason, e);
        }
    }

    /**
     * Makes a new secret with the JDK's {@code keytool}, in a file for its owner only.
     *
     * @param file must not exist
     * @throws IllegalArgumentException if it exists or can't be written, or there is no keytool
     */
    public static void create(Path file) {
        Path place = file.toAbsolutePath().normalize();
        Path parent = place.getParent();
        if (parent == null) {
            throw new IllegalArgumentException(file + " can't be a file");
        }
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
            throw existsAlready(file, null);
        }
        try {
            Path draft = PrivateFiles.createFolderIn(parent, ".cluster-secret-");
            try {
                Path made = draft.resolve("secret");
                keytool(made);
                PrivateFiles.close(made);
                DataFolder.sync(made);
                Files.createFile(place, PrivateFiles.file(place)); // fails if somebody was quicker
                Files.move(made, place, StandardCopyOption.ATOMIC_MOVE);
                DataFolder.sync(parent);
            } finally {
                PrivateFiles.delete(draft);
            }
        } catch (FileAlreadyExistsException e) {
            throw existsAlready(file, e);
        } catch (IOException e) {
            throw new IllegalArgumentException("The cluster secret " + file + " can't be written (" + e + ")", e);
        }
    }

    private static IllegalArgumentException existsAlready(Path file, @Nullable Exception cause) {
        return new IllegalArgumentException(
                file + " exists already; nodes that have it would know none that has another one: give a new name",
                cause);
    }

    private static void keytool(Path store) throws IOException {
        Path tool = Path.of(System.getProperty("java.home"), "bin", "keytool");
        Process made = new ProcessBuilder(List.of(
                        tool.toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=tenon cluster",
                        "-validity",
                        VALID_DAYS,
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString()))
                .redirectErrorStream(true)
                .start();
        try {
            made.getOutputStream().close();
            String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!made.waitFor(KEYTOOL_SECONDS_MAX, TimeUnit.SECONDS) || made.exitValue() != 0) {
                throw new IOException(tool + " failed: " + said.strip());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            made.destroy();
        }
    }

    /** For the port of a node and its clients. Java's own TLS: nothing native stands where strangers knock. */
    GrpcTlsConfig config() {
        return new GrpcTlsConfig.Builder()
                .setName("cluster secret")
                .setKeyManager(own)
                .setTrustManager(new OnlyThis(certificate))
                .setMutualTls(true)
                .setSslProvider(SslProvider.JDK)
                .build();
    }

    /** Knows one certificate. That its sender has the key as well is for the handshake to find out. */
    private static final class OnlyThis extends X509ExtendedTrustManager {
        private final X509Certificate certificate;

        OnlyThis(X509Certificate certificate) {
            this.certificate = certificate;
        }

        private void check(X509Certificate[] chain) throws CertificateException {
            if (chain == null || chain.length == 0 || !certificate.equals(chain[0])) {
                throw new CertificateException("This one has another cluster secret, or none");
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[] {certificate};
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            check(chain);
        }
    }
}
