package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.TenonException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.MisconfiguredCodeException;
import dev.tenon.id.builder.UnknownCodeException;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.server.StoreLocation;
import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeys;
import dev.tenon.server.access.KeyGate;
import dev.tenon.server.access.Need.Scope;
import dev.tenon.server.access.Right;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** IDs by code, made by the server. */
class ClientIdBuilderTest {
    private static final Node NODE = Clients.memoryNode();
    private static final TenonClient TENON = Clients.of(NODE);

    @AfterAll
    static void close() {
        TENON.close();
        NODE.close();
    }

    @Test
    void aDefinitionWithACodeIsServedInBothOrdersAndForms() {
        TENON.define("orders", "{\"kind\":\"segment\",\"step\":50,\"code\":7,\"prefix\":\"o_\",\"machineIndex\":12}");
        IdBuilder ids = TENON.idBuilder();
        assertThat(ids.unionSeqId(7)).isEqualTo(1);
        assertThat(ids.unionSeqId(7)).isEqualTo(2);
        assertThat(ids.unionSeqIdStr(7)).isEqualTo("o_123");
        Set<Long> shuffled = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            shuffled.add(ids.unionId(7));
        }
        assertThat(shuffled).hasSize(50).allMatch(id -> id > 50 && id <= 100);
        assertThat(ids.unionIdStr(7)).startsWith("o_12");
    }

    @Test
    void whatIsWrongIsSaidAsWhatItIs() {
        IdBuilder ids = TENON.idBuilder();
        for (int code : new int[] {404, 0, -1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> ids.unionSeqId(code))
                    .isInstanceOf(UnknownCodeException.class)
                    .hasMessageContaining(Integer.toString(code));
        }
        TENON.define("session", "{\"kind\":\"uuid\",\"code\":8}");
        assertThat(ids.unionIdStr(8)).hasSize(36);
        assertThatThrownBy(() -> ids.unionId(8))
                .isInstanceOf(TenonException.class)
                .hasMessageContaining("increase-id-str");
        TENON.define("tickets", "{\"kind\":\"segment\",\"max\":1,\"code\":9}");
        assertThat(ids.unionSeqId(9)).isEqualTo(1);
        assertThatThrownBy(() -> ids.unionSeqId(9)).isInstanceOf(RangeExhaustedException.class);
    }

    @Test
    void theTableOfTheServersDatabaseIsServedFromSegmentsThatAreThereBeforeTheFirstCall() throws Exception {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (JdbcBackend database = JdbcBackend.connect(url, "", "");
                Connection connection = DriverManager.getConnection(url)) {
            database.createIdBuilderTable();
            connection
                    .createStatement()
                    .execute("INSERT INTO t_id_builder_config"
                            + " (id, des, init_num, current_threshold, step, biz_code, is_seq)"
                            + " VALUES (1, 'orders', 0, 100, 10, 'order_', 0), (2, 'wrong', 0, 100, 0, '', 0)");
            try (Node node = Node.open(
                            NodeOptions.at("127.0.0.1", 0),
                            new StoreLocation(url, Optional.empty(), Optional.empty()));
                    TenonClient tenon = Clients.of(node)) {
                assertThat(database.builderConfigs().raiseTo(1, -1)).isEqualTo(110);
                assertThat(tenon.idBuilder().unionSeqId(1)).isEqualTo(100);
                assertThat(tenon.idBuilder().unionSeqIdStr(1)).isEqualTo("order_101");
                assertThatThrownBy(() -> tenon.idBuilder().unionId(2))
                        .isInstanceOf(MisconfiguredCodeException.class)
                        .hasMessageContaining("step");
            }
        }
    }

    @Test
    void aDefinitionThatHasIssuedHasItsFirstSegmentBeforeTheFirstCallOfItsCode() {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        try (JdbcBackend database = JdbcBackend.connect(url, "", "")) {
            try (Node node = Node.open(
                            NodeOptions.at("127.0.0.1", 0),
                            new StoreLocation(url, Optional.empty(), Optional.empty()));
                    TenonClient tenon = Clients.of(node)) {
                tenon.define("orders", "{\"kind\":\"segment\",\"step\":50,\"code\":7}")
                        .next();
                tenon.define("plain", "{\"kind\":\"segment\",\"step\":50}").next();
                tenon.define("fresh", "{\"kind\":\"shuffled\",\"step\":50,\"code\":9}");
            }
            try (Node node = Node.open(
                            NodeOptions.at("127.0.0.1", 0),
                            new StoreLocation(url, Optional.empty(), Optional.empty()));
                    TenonClient tenon = Clients.of(node)) {
                await().until(() -> database.ranges().raiseTo("orders", -1) == 101);
                assertThat(tenon.idBuilder().unionSeqId(7)).isEqualTo(51);
                assertThat(database.ranges().raiseTo("plain", -1)).isEqualTo(51);
                assertThat(tenon.ids("fresh").describe()).contains("\"unissued\":true");
            }
        }
    }

    @Test
    void aKeyGetsIdsOfTheCodesOfItsNames() {
        SecureRandom random = new SecureRandom();
        ApiKey.Fresh all = ApiKey.fresh(random);
        ApiKey.Fresh shop = ApiKey.fresh(random);
        ApiKeys keys = new ApiKeys(List.of(key(all, "all", Right.ADMIN, ""), key(shop, "shop", Right.USE, "shop")));
        try (Node node = Clients.memoryNode(NodeOptions.at("127.0.0.1", 0).withGate(new KeyGate(() -> keys)));
                TenonClient admin = TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                        .withCallTimeout(Clients.PATIENCE)
                        .withApiKey(all.text()));
                TenonClient tenon = TenonClient.connect(ClientOptions.of("127.0.0.1:" + node.port())
                        .withCallTimeout(Clients.PATIENCE)
                        .withApiKey(shop.text()))) {
            admin.define("shop-orders", "{\"kind\":\"segment\",\"code\":1}");
            admin.define("bank-orders", "{\"kind\":\"segment\",\"code\":2}");
            assertThat(tenon.idBuilder().unionSeqId(1)).isEqualTo(1);
            for (int code : new int[] {2, 3}) {
                assertThatThrownBy(() -> tenon.idBuilder().unionSeqId(code))
                        .isInstanceOf(TenonException.class)
                        .hasMessageContaining("refuses");
            }
            assertThat(admin.idBuilder().unionSeqId(2)).isEqualTo(1);
        }
    }

    private static ApiKey key(ApiKey.Fresh fresh, String name, Right right, String prefix) {
        ApiKey.Proof proof = new ApiKey.Proof.Secret(fresh.sha256());
        return new ApiKey(
                fresh.id(), name, right, Set.of(Scope.IDS, Scope.LOCKS), List.of(prefix), proof, Instant.EPOCH, "test");
    }
}
