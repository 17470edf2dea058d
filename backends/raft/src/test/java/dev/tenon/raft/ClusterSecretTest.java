package dev.tenon.raft;

import static dev.tenon.raft.TestCluster.soon;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.client.RaftClientConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.GroupManagementRequest;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SnapshotManagementRequest;
import org.apache.ratis.protocol.TransferLeadershipRequest;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslProvider;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The port of a node, against those who are none: with the engine's own client, with other keys, with no TLS, with
 * nonsense.
 */
class ClusterSecretTest {
    private static final List<String> NODES = List.of("n1", "n2", "n3");

    @TempDir
    private static Path folder;

    private static Path secret;
    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        secret = folder.resolve("secret");
        RaftSecret.create(secret);
        RaftSecret shared = RaftSecret.read(secret);
        cluster = TestCluster.of(folder.resolve("nodes"), 3)
                .with((RaftCluster nodes) -> nodes.withSecret(shared).withElectionTimeout(Duration.ofSeconds(3)))
                .start();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void whoHasTheSecretIsANode() throws Exception {
        worksOn();
        try (RaftClient node = client("n2", RaftSecret.read(secret).config())) {
            assertThat(node.getGroupManagementApi(peer("n2").getId()).list().getGroupIds())
                    .containsExactly(group());
        }
    }

    @Test
    void aStrangersOrdersAreNotCarriedOut() throws Exception {
        String leader = cluster.leader();
        Path other = folder.resolve("other");
        RaftSecret.create(other);
        GrpcTlsConfig anonymous = new GrpcTlsConfig.Builder()
                .setTrustManager(new Credulous())
                .setMutualTls(false)
                .setSslProvider(SslProvider.JDK)
                .build();
        Map<String, GrpcTlsConfig> strangers = new LinkedHashMap<>();
        strangers.put("in plain text", null);
        strangers.put("with another secret", RaftSecret.read(other).config());
        strangers.put("without a certificate", anonymous);
        for (Map.Entry<String, GrpcTlsConfig> stranger : strangers.entrySet()) {
            for (String node : NODES) {
                try (RaftClient client = client(node, stranger.getValue())) {
                    for (RaftClientRequest order : orders(client.getId(), node)) {
                        assertThatThrownBy(() -> carriedOut(client, order))
                                .as("%s to %s %s", order, node, stranger.getKey())
                                .isInstanceOf(IOException.class)
                                .hasMessageContaining("UNAVAILABLE");
                    }
                }
            }
        }
        worksOn();
        assertThat(cluster.leader()).isEqualTo(leader);
        for (String node : NODES) {
            assertThat(cluster.folder(node).resolve("raft/" + group().getUuid()))
                    .isDirectory();
        }
    }

    @Test
    void nonsenseEndsTheConnectionAndNothingElse() throws Exception {
        Random random = new Random(13);
        List<Socket> sent = new ArrayList<>();
        try {
            for (int i = 0; i < 20 * NODES.size(); i++) {
                byte[] bytes = new byte[20_000];
                random.nextBytes(bytes);
                if (i % 2 == 0) { // as if a TLS record began
                    bytes[0] = 22;
                    bytes[1] = 3;
                    bytes[2] = 1;
                    bytes[3] = 16;
                }
                Socket socket = connected(NODES.get(i % NODES.size()));
                sent.add(socket);
                try {
                    socket.getOutputStream()
                            .write(i % 5 == 0 ? "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII) : bytes);
                } catch (IOException e) {
                    // cut before all was sent
                }
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> open(sent) == 0);
        } finally {
            closeAll(sent);
        }
        worksOn();
    }

    @Test
    void thoseWhoOnlyStandAtTheDoorAreFewAndDoNotKeepNodesOut() throws Exception {
        List<Socket> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < 3 * NodeDoor.STRANGERS_MAX; i++) {
                Socket socket = connected("n1");
                crowd.add(socket);
                if (i % 2 == 0) {
                    socket.getOutputStream().write(new byte[] {22, 3, 1, 2, 0, 1}); // half of a greeting
                }
            }
            await().atMost(Duration.ofSeconds(60)).until(() -> open(crowd) <= NodeDoor.STRANGERS_MAX);
            try (RaftClient node = client("n1", RaftSecret.read(secret).config())) {
                assertThat(node.getGroupManagementApi(peer("n1").getId()).list().getGroupIds())
                        .containsExactly(group());
            }
            worksOn();
            await().atMost(Duration.ofSeconds(60)).until(() -> open(crowd) == 0); // their time is over
        } finally {
            closeAll(crowd);
        }
        worksOn();
    }

    @Test
    void whoKnowsTheCertificateButNotTheKeyIsNoNode() throws Exception {
        // The node shows the certificate to everybody who asks.
        SSLContext curious = SSLContext.getInstance("TLSv1.3");
        curious.init(null, new TrustManager[] {new Credulous()}, null);
        try (SSLSocket socket = (SSLSocket) curious.getSocketFactory().createSocket()) {
            socket.connect(address("n1"));
            socket.setSoTimeout(60_000);
            socket.startHandshake();
            assertThat(socket.getSession().getPeerCertificates()).hasSize(1);
            assertThatThrownBy(() -> {
                        socket.getOutputStream().write(new byte[] {1});
                        socket.getInputStream().read();
                    })
                    .isInstanceOf(IOException.class); // the alert: a certificate is required
        }
    }

    @Test
    void theFileIsForItsOwnerAndIsNeverReplaced() throws Exception {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(secret)))
                .isEqualTo("rw-------");
        byte[] before = Files.readAllBytes(secret);
        assertThatThrownBy(() -> RaftSecret.create(secret)).hasMessageContaining("exists already");
        assertThat(secret).hasBinaryContent(before);
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder.resolve("nowhere"));
        assertThatThrownBy(() -> RaftSecret.create(link)).hasMessageContaining("exists already");
        assertThat(folder.resolve("nowhere")).doesNotExist();
        assertThat(folder).isDirectoryNotContaining("glob:**.cluster-secret-*");
    }

    @Test
    void whatIsNoSecretIsNamed() throws IOException {
        Path none = folder.resolve("none");
        Path text = Files.writeString(folder.resolve("text"), "password");
        for (Path wrong : List.of(none, text)) {
            assertThatThrownBy(() -> RaftSecret.read(wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining(wrong.toString());
        }
    }

    private static void worksOn() {
        for (String name : NODES) {
            soon().until(() -> cluster.node(name).ranges().next("r", 1), any -> true);
        }
    }

    private static RaftGroupId group() {
        return cluster.node("n1").node().division().orElseThrow().getGroup().getGroupId();
    }

    private static RaftPeer peer(String node) {
        return cluster.node(node).node().self();
    }

    /** As anybody has it who has the engine's jar. */
    private static RaftClient client(String node, GrpcTlsConfig tls) {
        RaftProperties properties = new RaftProperties();
        RaftClientConfigKeys.Rpc.setRequestTimeout(properties, TimeDuration.valueOf(30, TimeUnit.SECONDS));
        Parameters parameters = new Parameters();
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(parameters, tls);
        }
        return RaftClient.newBuilder()
                .setRaftGroup(RaftGroup.valueOf(group(), peer(node)))
                .setProperties(properties)
                .setParameters(parameters)
                .setRetryPolicy(RetryPolicies.noRetry())
                .build();
    }

    private static List<RaftClientRequest> orders(ClientId id, String node) {
        RaftPeer to = peer(node);
        return List.of(
                GroupManagementRequest.newRemove(id, to.getId(), 1, group(), true, false),
                GroupManagementRequest.newAdd(
                        id, to.getId(), 2, RaftGroup.valueOf(RaftGroupId.valueOf(UUID.randomUUID()), to), true),
                new SetConfigurationRequest(
                        id,
                        to.getId(),
                        group(),
                        3,
                        SetConfigurationRequest.Arguments.newBuilder()
                                .setServersInNewConf(List.of(to))
                                .build()),
                new TransferLeadershipRequest(id, to.getId(), group(), 4, null, 1000),
                SnapshotManagementRequest.newCreate(id, to.getId(), group(), 5, 1000, 1),
                RaftClientRequest.newBuilder()
                        .setClientId(id)
                        .setServerId(to.getId())
                        .setGroupId(group())
                        .setCallId(6)
                        .setType(RaftClientRequest.writeRequestType())
                        .build());
    }

    private static void carriedOut(RaftClient client, RaftClientRequest order) throws IOException {
        RaftClientReply reply = client.getClientRpc().sendRequest(order);
        assertThat(reply).as("an answer").isNull();
    }

    private static InetSocketAddress address(String node) {
        String[] parts = cluster.address(node).split(":");
        return new InetSocketAddress(parts[0], Integer.parseInt(parts[1]));
    }

    private static Socket connected(String node) throws IOException {
        Socket socket = new Socket();
        socket.connect(address(node));
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private static long open(List<Socket> sockets) {
        return sockets.stream().filter(ClusterSecretTest::isOpen).count();
    }

    private static boolean isOpen(Socket socket) {
        try {
            socket.setSoTimeout(1);
            while (socket.getInputStream().read() >= 0) {
                // an alert
            }
            return false;
        } catch (SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Believes whatever it is shown. */
    private static final class Credulous implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
