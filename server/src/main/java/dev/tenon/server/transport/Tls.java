package dev.tenon.server.transport;

import dev.tenon.server.access.HostNames;
import dev.tenon.server.access.WatchedFiles;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * TLS of the public port, from PEM files. When they are replaced, new connections see the new ones; files that do not
 * fit together, as in the middle of a replacement, change nothing. Thread-safe.
 */
public final class Tls {
    private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";
    /** RFC 5280, 4.2.1.6. */
    private static final int DNS_NAME = 2;

    private static final byte[] PROBE = "probe".getBytes(StandardCharsets.US_ASCII);

    private final Sources sources;
    private final WatchedFiles watched;
    private volatile ServerSSLOptions now = new ServerSSLOptions();
    private volatile HostNames names = HostNames.of(List.of());
    private volatile Consumer<ServerSSLOptions> renewed = options -> {};

    /**
     * Where it comes from.
     *
     * @param certificate of this server, and those between it and its CA
     * @param key its private key, PKCS#8
     * @param clientCa who signs the certificates of clients; empty: they need none
     * @param required whether a client must show one
     */
    public record Sources(Path certificate, Path key, Optional<Path> clientCa, boolean required) {
        private List<Path> files() {
            return clientCa.map(ca -> List.of(certificate, key, ca)).orElse(List.of(certificate, key));
        }
    }

    /**
     * Reads the files.
     *
     * @throws IllegalArgumentException if one is not what it should be, or they do not fit together; the message says
     *     which
     */
    public Tls(Sources sources) {
        this.sources = sources;
        this.watched = new WatchedFiles(sources.files(), this::take);
    }

    /** Looks once whether the files have changed. */
    public void runOnce() {
        watched.runOnce();
    }

    /** Whether every client has shown a certificate. */
    public boolean authenticates() {
        return sources.clientCa().isPresent() && sources.required();
    }

    /** Whether clients are asked for a certificate, be it that they may show none. A browser shows one by itself. */
    public boolean asksForCertificates() {
        return sources.clientCa().isPresent();
    }

    /** The names that the certificate of this server is for, as it is now. A browser asks under no other. */
    public HostNames names() {
        return names;
    }

    /**
     * Calls {@code listener}, instead of the one before, whenever the files were replaced by others that fit together.
     */
    public void whenRenewed(Consumer<ServerSSLOptions> listener) {
        renewed = listener;
    }

    /** Has a server show the certificate as it is now. */
    public void applyTo(HttpServerOptions options) {
        options.setSsl(true)
                .setUseAlpn(true)
                .setClientAuth(now.getClientAuth())
                .setKeyCertOptions(now.getKeyCertOptions())
                .setTrustOptions(now.getTrustOptions());
    }

    private void take(List<byte[]> contents) {
        Certificate own =
                certificates(sources.certificate(), contents.get(0)).iterator().next();
        requireFitting(own.getPublicKey(), contents.get(1));
        ServerSSLOptions options = new ServerSSLOptions()
                .setUseAlpn(true)
                .setApplicationLayerProtocols(List.of("h2", "http/1.1"))
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setCertValue(Buffer.buffer(contents.get(0)))
                        .setKeyValue(Buffer.buffer(contents.get(1))));
        if (sources.clientCa().isPresent()) {
            certificates(sources.clientCa().get(), contents.get(2));
            options.setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(contents.get(2))))
                    .setClientAuth(sources.required() ? ClientAuth.REQUIRED : ClientAuth.REQUEST);
        }
        names = names(own);
        now = options;
        renewed.accept(options);
    }

    private static Collection<? extends Certificate> certificates(Path file, byte[] pem) {
        try {
            Collection<? extends Certificate> all =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(pem));
            if (!all.isEmpty()) {
                return all;
            }
        } catch (GeneralSecurityException e) {
            // said below
        }
        throw new IllegalArgumentException(file + " has no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
    }

    private static HostNames names(Certificate certificate) {
        if (!(certificate instanceof X509Certificate x509)) {
            return HostNames.of(List.of());
        }
        try {
            Collection<List<?>> alternatives = x509.getSubjectAlternativeNames();
            return HostNames.ofCertificate(
                    alternatives == null
                            ? List.of()
                            : alternatives.stream()
                                    .filter(name -> Integer.valueOf(DNS_NAME).equals(name.get(0)))
                                    .map(name -> String.valueOf(name.get(1)))
                                    .toList());
        } catch (CertificateParsingException e) {
            return HostNames.of(List.of()); // for no name, then
        }
    }

    private void requireFitting(PublicKey publicKey, byte[] pem) {
        String text = new String(pem, StandardCharsets.US_ASCII);
        int begin = text.indexOf(KEY_BEGIN);
        int end = text.indexOf(KEY_END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException(sources.key() + " has no private key in PKCS#8 PEM form (" + KEY_BEGIN
                    + "); openssl pkcs8 -topk8 -nodes makes one of another form");
        }
        boolean fits;
        try {
            byte[] der = Base64.getMimeDecoder().decode(text.substring(begin + KEY_BEGIN.length(), end));
            PrivateKey key =
                    KeyFactory.getInstance(publicKey.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(der));
            fits = signs(key, publicKey);
        } catch (InvalidKeySpecException e) {
            fits = false; // of another algorithm
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException(sources.key() + " can't be used: " + e.getMessage(), e);
        }
        if (!fits) {
            throw new IllegalArgumentException(
                    sources.key() + " is not the key of the first certificate in " + sources.certificate());
        }
    }

    private static boolean signs(PrivateKey key, PublicKey publicKey) throws GeneralSecurityException {
        String algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> publicKey.getAlgorithm(); // Ed25519 and its like sign by their own name
        };
        Signature signature = Signature.getInstance(algorithm);
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(PROBE);
        return signature.verify(signed);
    }
}
