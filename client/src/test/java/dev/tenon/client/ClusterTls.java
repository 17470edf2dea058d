package dev.tenon.client;

import dev.tenon.testkit.TestAuthority;
import dev.tenon.testkit.TestAuthority.Identity;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates of one authority for the servers of a cluster and for their clients: each side asks for the other's. */
final class ClusterTls {
    private static final char[] NO_PASSWORD = new char[0];

    private final Path authority;
    private final ClientOptions.Identity server;
    private final ClientOptions.Identity client;
    private final SSLContext context;

    /** @param folder where the files are written */
    ClusterTls(Path folder) {
        TestAuthority signer = new TestAuthority("Tenon Test");
        authority = write(folder.resolve("ca.pem"), signer.certificate());
        server = files(folder, "server", signer.issue("CN=server"));
        Identity own = signer.issue("CN=client");
        client = files(folder, "client", own);
        context = context(signer, own);
    }

    private static ClientOptions.Identity files(Path folder, String name, Identity identity) {
        return new ClientOptions.Identity(
                write(folder.resolve(name + ".pem"), identity.certificate()),
                write(folder.resolve(name + ".key"), identity.key()));
    }

    private static Path write(Path file, String text) {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static SSLContext context(TestAuthority signer, Identity own) {
        try {
            KeyStore trusted = empty();
            trusted.setCertificateEntry("ca", parsed(signer.certificate()));
            KeyStore shown = empty();
            byte[] key = Base64.getDecoder().decode(own.key().replaceAll("-----[^-]+-----|\\s", ""));
            shown.setKeyEntry(
                    "own",
                    KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(key)),
                    NO_PASSWORD,
                    new Certificate[] {parsed(own.certificate())});
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(shown, NO_PASSWORD);
            SSLContext made = SSLContext.getInstance("TLS");
            made.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return made;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static KeyStore empty() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Certificate parsed(String pem) throws CertificateException {
        return CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
    }

    /** Options of a server: TLS, and no client without a certificate. */
    List<String> serverArguments() {
        return List.of(
                "--tls-cert",
                server.certificate().toString(),
                "--tls-key",
                server.key().toString(),
                "--tls-client-ca",
                authority.toString());
    }

    /** For a client over HTTP. */
    SSLContext context() {
        return context;
    }

    /** For a {@link TenonClient}. */
    ClientOptions.Tls options() {
        return new ClientOptions.Tls(Optional.of(authority), Optional.of(client));
    }
}
