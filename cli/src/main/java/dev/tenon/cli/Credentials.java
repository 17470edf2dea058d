package dev.tenon.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * What a client shows to a server, and what it wants to be shown.
 *
 * @param apiKey sent with each request
 * @param tls whom to trust, and who we are; empty: what the JVM trusts, and nobody
 */
record Credentials(Optional<String> apiKey, Optional<SSLContext> tls) {
    /** None. */
    static final Credentials NONE = new Credentials(Optional.empty(), Optional.empty());

    private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "EdDSA");
    private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";

    /**
     * TLS from PEM files, of which any may be left out.
     *
     * @throws IllegalArgumentException if a file is not what it should be; the message names it
     */
    static SSLContext tls(@Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {
        if ((certificate == null) != (key == null)) {
            throw new IllegalArgumentException("a client's certificate needs its key, and the key its certificate");
        }
        try {
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(
                    certificate == null || key == null ? null : identity(certificate, key),
                    ca == null ? null : trust(ca),
                    null);
            return tls;
        } catch (GeneralSecurityException e) {
            throw new IllegalArgumentException("TLS can't be set up: " + e.getMessage(), e);
        }
    }

    private static TrustManager[] trust(Path ca) throws GeneralSecurityException {
        KeyStore store = emptyStore();
        int number = 0;
        for (Certificate trusted : certificates(ca)) {
            store.setCertificateEntry("ca" + number++, trusted);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyManager[] identity(Path certificate, Path key) throws GeneralSecurityException {
        KeyStore store = emptyStore();
        store.setKeyEntry(
                "client",
                privateKey(key),
                new char[0],
                certificates(certificate).toArray(new Certificate[0]));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, new char[0]);
        return factory.getKeyManagers();
    }

    private static KeyStore emptyStore() throws GeneralSecurityException {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            return store;
        } catch (IOException e) {
            throw new IllegalStateException(e); // nothing is read
        }
    }

    private static List<Certificate> certificates(Path file) {
        try {
            List<Certificate> all = new ArrayList<>(CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(bytes(file))));
            if (!all.isEmpty()) {
                return all;
            }
        } catch (GeneralSecurityException e) {
            // said below
        }
        throw new IllegalArgumentException(file + " has no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
    }

    private static PrivateKey privateKey(Path file) throws GeneralSecurityException {
        String pem = new String(bytes(file), StandardCharsets.US_ASCII);
        int begin = pem.indexOf(KEY_BEGIN);
        int end = pem.indexOf(KEY_END);
        if (begin >= 0 && end > begin) {
            byte[] der = Base64.getMimeDecoder().decode(pem.substring(begin + KEY_BEGIN.length(), end));
            for (String algorithm : KEY_ALGORITHMS) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
                } catch (InvalidKeySpecException e) {
                    // of another algorithm, perhaps
                }
            }
        }
        throw new IllegalArgumentException(file + " has no private key in PKCS#8 PEM form (" + KEY_BEGIN
                + "); openssl pkcs8 -topk8 -nodes makes one");
    }

    private static byte[] bytes(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new IllegalArgumentException("can't read " + file, e);
        }
    }
}
