package dev.tenon.server.transport;

import io.vertx.core.http.HttpConnection;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;

/** Who is at the other end of a connection with mutual TLS. */
public final class Certificates {
    private Certificates() {}

    /** The subject (RFC 2253) of a certificate that the connection has checked already; empty if there is none. */
    public static Optional<String> subject(HttpConnection connection) {
        if (!connection.isSsl()) {
            return Optional.empty();
        }
        try {
            return connection.peerCertificates().get(0) instanceof X509Certificate certificate
                    ? Optional.of(certificate.getSubjectX500Principal().getName())
                    : Optional.empty();
        } catch (SSLPeerUnverifiedException e) {
            return Optional.empty(); // none was shown
        }
    }
}
