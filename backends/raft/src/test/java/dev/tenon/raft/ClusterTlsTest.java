package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that show certificates of one authority form a cluster; one that shows another's, or none, gets nowhere. */
class ClusterTlsTest {
    private static final String PASSWORD = "secret";

    @TempDir
    private Path folder;

    @Test
    void onlyWhoHasACertificateOfTheClusterIsHeard() throws Exception {
        RaftTls right = keys("right");
        RaftTls wrong = keys("wrong");
        try (TestCluster cluster =
                TestCluster.of(folder.resolve("nodes"), 3).with((RaftCluster nodes) -> nodes.withTls(right))) {
            cluster.start();
            for (String name : List.of("n1", "n2", "n3")) {
                soon().until(() -> cluster.node(name).ranges().next("r", 1), any -> true);
            }
            cluster.with((RaftCluster nodes) -> nodes.withTls(wrong)).open("n4");
            cluster.with((RaftCluster nodes) -> nodes).open("n5");
            soon().untilAsserted(() -> assertThatThrownBy(
                            () -> cluster.node("n4").ranges().next("r", 1))
                    .hasMessageContaining("n1 (" + cluster.address("n1") + ")")
                    .hasMessageContaining("not answer"));
            for (String stranger : List.of("n4", "n5")) {
                assertThatThrownBy(() -> cluster.node("n1").members().add(stranger, cluster.address(stranger)))
                        .hasMessageContaining("does not answer");
            }
            assertThat(cluster.node("n1").ranges().next("r", 1).first()).isEqualTo(4);
        }
    }

    @Test
    void aFileThatIsMissingIsNamed() {
        Path missing = folder.resolve("none.pem");
        assertThatThrownBy(() -> new RaftTls(missing, missing, missing))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(missing.toString());
    }

    /** A key and a certificate that is its own authority. */
    private RaftTls keys(String name) throws Exception {
        Path store = folder.resolve(name + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "node",
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=" + name,
                        "-validity",
                        "2",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-ext",
                        "bc:c=ca:true",
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keystore",
                        store.toString())
                .inheritIO()
                .start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        Path certificate =
                pem(name + ".crt", "CERTIFICATE", keys.getCertificate("node").getEncoded());
        Path key = pem(
                name + ".key",
                "PRIVATE KEY",
                keys.getKey("node", PASSWORD.toCharArray()).getEncoded());
        return new RaftTls(certificate, key, certificate);
    }

    private Path pem(String file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        return Files.writeString(
                folder.resolve(file), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
