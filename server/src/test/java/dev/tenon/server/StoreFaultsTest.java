package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestPort;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A store that can't be used: at the start, and while the server runs. */
class StoreFaultsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static void assertRefused(ServerExitCode exitCode, List<String> words, String... arguments) {
        try (ForkedJvm jvm = ServerProcess.launch(arguments)) {
            assertThat(jvm.awaitExit(LIMIT)).as(jvm.errors()).isEqualTo(exitCode.code());
            assertThat(jvm.lines()).isEmpty();
            assertThat(jvm.errors()).contains(words).doesNotContain("s3cret");
            if (exitCode == ServerExitCode.STORE) {
                assertThat(ServerProcess.errorsOf(jvm)).hasSize(1);
            }
        }
    }

    @Test
    void wrongUsageIsExplained() {
        assertRefused(
                ServerExitCode.USAGE,
                List.of("--store and --data exclude each other"),
                "--data",
                "folder",
                "--store",
                "redis://localhost");
        assertRefused(
                ServerExitCode.USAGE,
                List.of("no store for \"mongodb:…\"", "jdbc:postgresql://", "redis://"),
                "--store",
                "mongodb://u:s3cret@host");
        assertRefused(ServerExitCode.USAGE, List.of("there is none"), "--store-user", "u");
    }

    @Test
    void aStoreThatIsDownAtTheStartIsSaidInOneLine() {
        try (TestPort free = TestPort.reserve()) {
            String host = "127.0.0.1:" + free.number();
            assertRefused(
                    ServerExitCode.STORE,
                    List.of("The store at redis://" + host, "Is it up"),
                    "--store",
                    "redis://u:s3cret@" + host);
            assertRefused(
                    ServerExitCode.STORE,
                    List.of("The store at jdbc:postgresql://" + host, "Is it up"),
                    "--store",
                    "jdbc:postgresql://" + host + "/db?user=u&password=s3cret");
            for (String scheme : List.of("zookeeper", "etcd")) {
                assertRefused(
                        ServerExitCode.STORE,
                        List.of("The store at " + scheme + "://" + host + "/app can't be used", "Is it up"),
                        "--store",
                        scheme + "://u:s3cret@" + host + "/app");
            }
        }
    }

    @Test
    void aWrongPasswordAndAMissingDriverAreSaidInOneLine() {
        assertRefused(
                ServerExitCode.STORE,
                List.of("add com.mysql:mysql-connector-j", "PostgreSQL, MariaDB and H2", "folder lib"),
                "--store",
                "jdbc:mysql://127.0.0.1/db?password=s3cret&user=u");
        RedisAddress redis = RedisServer.shared();
        assertRefused(
                ServerExitCode.STORE,
                List.of("The store at redis://", "are user and password right"),
                "--store",
                "redis://nobody:s3cret@" + redis.host() + ":" + redis.port());
    }

    @Test
    void aServerGoesOnWhenItsRedisIsBack() {
        RedisAddress redis = RedisServer.shared().newDatabase();
        try (FaultProxy proxy = FaultProxy.to(redis.socket())) {
            outage(new StoreLocation(redis.at(proxy.address()).uri(), Optional.empty(), Optional.empty()), proxy);
        }
    }

    @Test
    void aServerGoesOnWhenItsDatabaseIsBack() {
        SqlAddress sql = PostgresServer.shared().newDatabase();
        try (FaultProxy proxy = FaultProxy.to(sql.socket())) {
            outage(
                    new StoreLocation(
                            sql.at(proxy.address()).url(), Optional.of(sql.user()), Optional.of(sql.password())),
                    proxy);
        }
    }

    @Test
    void aServerGoesOnWhenItsZooKeeperIsBack() {
        ZooKeeperAddress zooKeeper = ZooKeeperServer.shared();
        try (FaultProxy proxy = FaultProxy.to(zooKeeper.socket())) {
            String place = zooKeeper.at(proxy.address()).connectString();
            outage(new StoreLocation("zookeeper://" + place, Optional.empty(), Optional.empty()), proxy);
        }
    }

    @Test
    void aServerGoesOnWhenItsEtcdIsBack() {
        EtcdAddress etcd = EtcdServer.shared();
        try (FaultProxy proxy = FaultProxy.to(etcd.socket())) {
            String host = "127.0.0.1:" + proxy.address().getPort();
            String place = "etcd://" + host + "/" + etcd.keyPrefix();
            outage(new StoreLocation(place, Optional.empty(), Optional.empty()), proxy);
        }
    }

    /** A store has seconds to answer a server that starts; on a busy machine it is started again. */
    private static Node open(StoreLocation store) {
        return await().atMost(ServerProcess.START_LIMIT)
                .ignoreExceptionsInstanceOf(StartException.class)
                .until(() -> Node.open(NodeOptions.at("127.0.0.1", 0), store), Objects::nonNull);
    }

    private static void outage(StoreLocation store, FaultProxy proxy) {
        Node node = open(store);
        try {
            TestClient client = new TestClient(node.port());
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            client.put("/v1/ids/seg", "{\"kind\":\"segment\",\"step\":10000}");
            assertThat(client.next("seq", 3)).hasSize(3);
            assertThat(client.next("seg", 1)).containsExactly("1");
            NewStore.sayAt(node.port());
            client.next("default", 1);
            String session = client.session("patient");
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);

            proxy.refuseNew();
            proxy.cut();
            await().atMost(LIMIT).untilAsserted(() -> {
                Answer answer = client.post("/v1/ids/seq/next", "");
                assertThat(answer.status()).as(answer.text()).isEqualTo(503);
                assertThat(answer.problem()).isEqualTo("store-unavailable");
                assertThat(answer.header("Retry-After")).isNotEmpty();
            });
            assertThat(client.fetch("/readyz").problem()).isEqualTo("store-unavailable");
            assertThat(client.fetch("/healthz").status()).isEqualTo(200);
            Answer lock = client.post("/v1/locks/x/acquire", "{\"session\":\"" + session + "\"}");
            assertThat(lock.problem()).as(lock.text()).isEqualTo("store-unavailable");
            assertThat(client.put("/v1/ids/new", "{\"kind\":\"sequence\"}").status())
                    .isEqualTo(503);
            // What is at hand goes on.
            assertThat(client.next("seg", 100)).startsWith("2").hasSize(100);
            assertThat(client.next("default", 100)).hasSize(100);

            proxy.heal();
            await().atMost(LIMIT).until(() -> client.fetch("/readyz").status() == 200);
            assertThat(Long.parseLong(client.next("seq", 1).get(0))).isBetween(4L, 10L);
            assertThat(client.post("/v1/locks/x/acquire", "{\"session\":\"" + session + "\"}")
                            .status())
                    .isEqualTo(200);

            // Away at the end: nothing waits for it.
            proxy.refuseNew();
            proxy.cut();
            long before = System.nanoTime();
            node.close();
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
        } finally {
            node.close();
        }
    }
}
