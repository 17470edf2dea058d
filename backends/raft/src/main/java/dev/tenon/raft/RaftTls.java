package dev.tenon.raft;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.apache.ratis.grpc.GrpcTlsConfig;

/**
 * TLS between the nodes of a cluster, in both directions: each node shows its certificate, and talks to none that shows
 * none. Read when the node starts; to change a file, replace it and restart one node after the other.
 *
 * @param certificate this node's certificate, and those between it and the trusted one, in PEM. It must name the host,
 *     or IP address, under which the other nodes reach this one (subject alternative name), and be good for server and
 *     client
 * @param privateKey its key, unencrypted PKCS#8 in PEM
 * @param trusted certificates of those who may sign a node's, in PEM. Whoever has a certificate from them is a node
 */
public record RaftTls(Path certificate, Path privateKey, Path trusted) {
    public RaftTls {
        for (Path file : List.of(certificate, privateKey, trusted)) {
            Objects.requireNonNull(file, "file");
            if (!Files.isReadable(file)) {
                throw new IllegalArgumentException("TLS between nodes: " + file + " can't be read");
            }
        }
    }

    GrpcTlsConfig config() {
        return new GrpcTlsConfig(privateKey.toFile(), certificate.toFile(), trusted.toFile(), true);
    }
}
