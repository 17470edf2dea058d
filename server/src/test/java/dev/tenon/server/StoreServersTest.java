package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse.Released;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.ZooKeeperServer;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two servers over one store of each kind: they are as one to their clients, but for sessions. */
class StoreServersTest {
    /** How long a session lasts that is kept alive: no longer than that may the machine stand still. */
    private static final Duration KEPT = Duration.ofMillis(1500);

    /** The stores that a team may run. */
    enum Store {
        H2 {
            @Override
            StoreLocation address() {
                return new StoreLocation(
                        "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1", Optional.empty(), Optional.empty());
            }
        },
        MARIADB {
            @Override
            StoreLocation address() {
                return sql(MariaDbServer.shared().newDatabase());
            }
        },
        /** By the driver that comes with the server, MariaDB's. */
        MYSQL {
            @Override
            StoreLocation address() {
                return sql(MySqlServer.shared());
            }
        },
        POSTGRESQL {
            @Override
            StoreLocation address() {
                return sql(PostgresServer.shared().newDatabase());
            }
        },
        REDIS {
            @Override
            StoreLocation address() {
                return new StoreLocation(RedisServer.shared().newDatabase().uri(), Optional.empty(), Optional.empty());
            }
        },
        ZOOKEEPER {
            @Override
            StoreLocation address() {
                String place = ZooKeeperServer.shared().connectString();
                return new StoreLocation("zookeeper://" + place, Optional.empty(), Optional.empty());
            }
        },
        ETCD {
            @Override
            StoreLocation address() {
                EtcdAddress etcd = EtcdServer.shared();
                String place = etcd.endpoint().replace("http://", "etcd://") + "/" + etcd.keyPrefix();
                return new StoreLocation(place, Optional.empty(), Optional.empty());
            }
        };

        abstract StoreLocation address();

        private static StoreLocation sql(SqlAddress address) {
            return new StoreLocation(address.url(), Optional.of(address.user()), Optional.of(address.password()));
        }
    }

    private static String acquire(String session, String more) {
        return "{\"session\":\"" + session + "\"" + more + "}";
    }

    @ParameterizedTest
    @EnumSource(Store.class)
    void twoServersAreAsOne(Store store) throws Exception {
        StoreLocation address = store.address();
        try (Node first = Node.open(NodeOptions.at("127.0.0.1", 0), address);
                Node second = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            TestClient a = new TestClient(first.port());
            TestClient b = new TestClient(second.port());
            NewStore.sayAt(first.port());
            idsOfBoth(a, b);
            sessionsBelongToTheirServer(a, b);
            locksOfBoth(a, b);
            aTokenIsOfUseToItsSessionAtEither(first, second);
        }
    }

    private static void aTokenIsOfUseToItsSessionAtEither(Node first, Node second) {
        ManagedChannel one = channel(first);
        ManagedChannel other = channel(second);
        try {
            LocksGrpc.LocksBlockingStub here = LocksGrpc.newBlockingStub(one).withDeadlineAfter(60, TimeUnit.SECONDS);
            LocksGrpc.LocksBlockingStub there =
                    LocksGrpc.newBlockingStub(other).withDeadlineAfter(60, TimeUnit.SECONDS);
            com.google.protobuf.Duration lease =
                    com.google.protobuf.Duration.newBuilder().setSeconds(300).build();
            String session = UUID.randomUUID().toString();
            here.openSession(OpenSessionRequest.newBuilder()
                    .setSessionId(session)
                    .setOwner("test")
                    .setTtl(lease)
                    .build());
            long token = here.acquire(AcquireRequest.newBuilder()
                            .setName("grpc")
                            .setSessionId(session)
                            .setRequestId(session)
                            .setOwner("test")
                            .setLease(lease)
                            .build())
                    .getGranted()
                    .getToken();
            ReleaseRequest.One.Builder release =
                    ReleaseRequest.One.newBuilder().setName("grpc").setToken(token);
            ReleaseRequest anothers = ReleaseRequest.newBuilder()
                    .addReleases(release.setSessionId("another"))
                    .build();
            ReleaseRequest own = ReleaseRequest.newBuilder()
                    .addReleases(release.setSessionId(session))
                    .build();
            assertThat(there.release(anothers).getReleasedList()).containsExactly(Released.NOT_HELD);
            assertThat(here.release(anothers).getReleasedList()).containsExactly(Released.NOT_HELD);
            assertThat(there.release(own).getReleasedList()).containsExactly(Released.FREED);
        } finally {
            one.shutdownNow();
            other.shutdownNow();
        }
    }

    private static ManagedChannel channel(Node node) {
        return NettyChannelBuilder.forAddress("127.0.0.1", node.port())
                .usePlaintext()
                .build();
    }

    private static void idsOfBoth(TestClient a, TestClient b) {
        assertThat(a.put("/v1/ids/seq", "{\"kind\":\"sequence\",\"code\":7}").status())
                .isEqualTo(201);
        assertThat(b.put("/v1/ids/seq", "{\"kind\":\"sequence\",\"code\":7}").status())
                .isEqualTo(200);
        assertThat(b.put("/v1/ids/seq", "{\"kind\":\"segment\"}").problem()).isEqualTo("definition-conflict");
        assertThat(b.put("/v1/ids/other", "{\"kind\":\"sequence\",\"code\":7}").problem())
                .isEqualTo("definition-conflict");
        assertThat(a.put("/v1/ids/seg", "{\"kind\":\"segment\",\"step\":50}").status())
                .isEqualTo(201);
        assertThat(b.fetch("/v1/ids").text()).contains("\"seg\"", "\"seq\"", "\"default\"");
        assertThat(b.fetch("/id-builder/increase-seq-id?code=7").text()).isEqualTo("1");
        assertThat(a.next("seq", 2)).containsExactly("2", "3");
        assertThat(b.next("seq", 1)).containsExactly("4");
        Set<String> ids = new HashSet<>();
        for (int round = 0; round < 5; round++) {
            for (String name : new String[] {"default", "seg"}) {
                for (TestClient client : new TestClient[] {a, b}) {
                    client.next(name, 200).forEach(id -> ids.add(name + id));
                }
            }
        }
        assertThat(ids).hasSize(5 * 4 * 200);
        assertThat(a.fetch("/v1/ids/default").json().path("workerId").asInt())
                .isNotEqualTo(b.fetch("/v1/ids/default").json().path("workerId").asInt());
    }

    private static void sessionsBelongToTheirServer(TestClient a, TestClient b) {
        String session = a.session("visitor");
        for (Answer answer : new Answer[] {
            b.post("/v1/sessions/" + session + "/keepalive", ""),
            b.post("/v1/locks/away/acquire", acquire(session, "")),
            b.call("DELETE", "/v1/sessions/" + session, "")
        }) {
            assertThat(answer.status()).as(answer.text()).isEqualTo(421);
            assertThat(answer.problem()).isEqualTo("session-of-another-server");
            assertThat(answer.detail()).contains("the server that opened it");
        }
        assertThat(b.post("/v1/sessions/nobody/keepalive", "").problem()).isEqualTo("unknown-session");
        assertThat(a.post("/v1/sessions/" + session + "/keepalive", "").status())
                .isEqualTo(204);
        assertThat(a.call("DELETE", "/v1/sessions/" + session, "").status()).isEqualTo(204);
        assertThat(a.post("/v1/sessions/" + session + "/keepalive", "").problem())
                .isEqualTo("unknown-session");
    }

    private static void locksOfBoth(TestClient a, TestClient b) throws Exception {
        String holder = a.session("holder");
        String waiter = b.session("waiter");
        Answer held = a.post("/v1/locks/x/acquire", acquire(holder, ""));
        long token = held.json().path("token").asLong();
        assertThat(held.status()).as(held.text()).isEqualTo(200);
        assertThat(b.post("/v1/locks/x/acquire", acquire(waiter, "")).problem()).isEqualTo("lock-not-acquired");
        CompletableFuture<HttpResponse<String>> waits =
                b.send("POST", "/v1/locks/x/acquire", acquire(waiter, ",\"wait\":\"PT1M\""));
        await().until(() -> queue(a, "x") == 1);
        // What is told by the token works anywhere.
        String release = "{\"session\":\"" + holder + "\",\"token\":" + token + "}";
        assertThat(b.post("/v1/locks/x/renew", release).status()).isEqualTo(421);
        assertThat(b.post(
                                "/v1/locks/x/renew",
                                "{\"session\":\"" + holder + "\",\"token\":" + token + ",\"lease\":\"PT1M\"}")
                        .status())
                .isEqualTo(200);
        assertThat(b.post("/v1/locks/x/release", release).text()).contains("HANDED_OVER");
        HttpResponse<String> told = waits.get(30, TimeUnit.SECONDS);
        assertThat(told.statusCode()).as(told.body()).isEqualTo(200);
        assertThat(new Answer(200, told).json().path("token").asLong()).isGreaterThan(token);
    }

    @ParameterizedTest
    @EnumSource(
            value = Store.class,
            names = {"H2", "REDIS", "ZOOKEEPER", "ETCD"})
    void aLockLivesAsLongAsItsSessionAndThroughAnOrderlyStop(Store store) throws Exception {
        try (Node asked = Node.open(NodeOptions.at("127.0.0.1", 0), store.address())) {
            TestClient client = new TestClient(asked.port());
            Punctual.judge(KEPT.dividedBy(3), () -> held(client, "punctual"), () -> sessionsEndOverOneOf(store));
        }
    }

    private static void sessionsEndOverOneOf(Store store) {
        StoreLocation address = store.address();
        try (Node watching = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            TestClient watcher = new TestClient(watching.port());
            try (Node serving = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
                TestClient client = new TestClient(serving.port());
                String brief = client.session("brief", "PT3S");
                String kept = client.session("kept", KEPT.toString());
                String stays = client.session("stays");
                client.post("/v1/locks/brief/acquire", acquire(brief, ",\"lease\":\"PT1M\""));
                client.post("/v1/locks/kept/acquire", acquire(kept, ""));
                client.post("/v1/locks/stays/acquire", acquire(stays, ""));
                String waits = client.session("waits");
                client.send("POST", "/v1/locks/stays/acquire", acquire(waits, ",\"wait\":\"PT1M\""));
                await().until(() -> queue(watcher, "stays") == 1);
                await().pollInterval(100, TimeUnit.MILLISECONDS).until(() -> {
                    assertThat(client.post("/v1/sessions/" + kept + "/keepalive", "")
                                    .status())
                            .isEqualTo(204);
                    return !held(watcher, "brief");
                });
                assertThat(client.post("/v1/sessions/" + brief + "/keepalive", "")
                                .problem())
                        .isEqualTo("unknown-session");
                assertThat(held(watcher, "kept")).isTrue();
                await().until(() -> !held(watcher, "kept"));
            }
            assertThat(held(watcher, "stays")).isTrue();
            // Its waiter is not: nobody would claim its turn.
            await().until(() -> queue(watcher, "stays") == 0);
        }
    }

    private static int queue(TestClient client, String lock) {
        return client.fetch("/v1/locks/" + lock).json().path("queue").size();
    }

    private static boolean held(TestClient client, String lock) {
        return client.fetch("/v1/locks/" + lock).json().path("held").asBoolean();
    }
}
