package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.server.StoreServersTest.Store;
import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.ForkedJvm;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The four calls of the ID-builder service, over its table in each database. */
class IdBuilderTableTest {
    private static final List<String> CALLS =
            List.of("increase-id", "increase-seq-id", "increase-id-str", "increase-seq-id-str");

    private static Answer call(TestClient client, String call, int code) {
        return client.fetch("/id-builder/" + call + "?code=" + code);
    }

    private static void execute(StoreLocation address, String... statements) throws SQLException {
        try (Connection connection = address.user().isPresent()
                        ? DriverManager.getConnection(
                                address.uri(),
                                address.user().get(),
                                address.password().orElseThrow())
                        : DriverManager.getConnection(address.uri());
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    static String row(int code, long threshold, int step, String bizCode) {
        return "INSERT INTO t_id_builder_config (id, des, init_num, current_threshold, step, biz_code, is_seq) VALUES ("
                + code + ", 'a code', 0, " + threshold + ", " + step + ", '" + bizCode + "', 0)";
    }

    static void createTable(StoreLocation address) {
        try (JdbcBackend backend = JdbcBackend.connect(
                address.uri(), address.user().orElse(""), address.password().orElse(""))) {
            backend.createIdBuilderTable();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Store.class,
            names = {"H2", "MARIADB", "MYSQL", "POSTGRESQL"})
    void theFourCallsAreServedFromTheTableAsSoonAsItHasTheCode(Store store) throws Exception {
        StoreLocation address = store.address();
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            TestClient client = new TestClient(node.port());
            for (String call : CALLS) {
                Answer unknown = call(client, call, 3);
                assertThat(unknown.status()).isEqualTo(404);
                assertThat(unknown.problem()).isEqualTo("unknown-code");
                assertThat(unknown.detail()).contains("--code 3").contains("createIdBuilderTable");
            }
            createTable(address);
            assertThat(call(client, "increase-id", 3).detail()).contains("INSERT INTO t_id_builder_config");
            execute(address, row(3, 500, 100, "im_"));
            List<Long> all = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                assertThat(call(client, "increase-seq-id", 3).text()).isEqualTo(String.valueOf(500 + i));
                all.add(Long.valueOf(call(client, "increase-id", 3).text()));
            }
            assertThat(all).allMatch(id -> id >= 600 && id < 700).doesNotHaveDuplicates();
            assertThat(all).isNotEqualTo(all.stream().sorted().toList());
            assertThat(call(client, "increase-seq-id-str", 3).text())
                    .startsWith("im_")
                    .matches("im_[78]00");
            assertThat(call(client, "increase-id-str", 3).text()).matches("im_[78]\\d\\d");
            assertThat(call(client, "increase-id", 3).header("Content-Type")).startsWith("application/json");
            assertThat(call(client, "increase-id-str", 3).header("Content-Type"))
                    .startsWith("text/plain");
        }
    }

    @Test
    void aCodeBelongsToTheTableOrToADefinition() throws Exception {
        StoreLocation address = Store.H2.address();
        createTable(address);
        execute(address, row(1, 10, 10, ""), row(2, 10, 0, ""));
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            TestClient client = new TestClient(node.port());
            for (int code = 1; code <= 2; code++) {
                Answer taken = client.put("/v1/ids/orders", "{\"kind\":\"segment\",\"code\":" + code + "}");
                assertThat(taken.problem()).isEqualTo("definition-conflict");
                assertThat(taken.detail()).contains("t_id_builder_config");
            }
            assertThat(client.put("/v1/ids/orders", "{\"kind\":\"segment\",\"code\":7}")
                            .status())
                    .isEqualTo(201);
            assertThat(call(client, "increase-seq-id", 7).text()).isEqualTo("1");
            assertThat(call(client, "increase-seq-id", 1).text()).isEqualTo("10");
            Answer nonsense = call(client, "increase-id", 2);
            assertThat(nonsense.status()).isEqualTo(503);
            assertThat(nonsense.problem()).isEqualTo("ids-unavailable");
            assertThat(nonsense.detail()).contains("Code 2").contains("step");
        }
    }

    @Test
    void aTableThatWentBackIsSaidAndRepairedByTheStatementThatItNames() throws Exception {
        StoreLocation address = Store.H2.address();
        createTable(address);
        execute(address, row(1, 1_000, 10, ""));
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), address)) {
            TestClient client = new TestClient(node.port());
            assertThat(call(client, "increase-seq-id", 1).text()).isEqualTo("1000");
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
            execute(address, "UPDATE t_id_builder_config SET current_threshold = 500");
            Answer refused = call(client, "increase-id", 1);
            assertThat(refused.problem()).isEqualTo("sequence-regressed");
            assertThat(client.fetch("/healthz").text()).contains("code 1");
            assertThat(client.fetch("/readyz").problem()).isEqualTo("sequence-regressed");
            Matcher repair = Pattern.compile("UPDATE [^.]*")
                    .matcher(client.fetch("/readyz").detail());
            assertThat(repair.find()).isTrue();
            execute(address, repair.group());
            await().until(() -> call(client, "increase-id", 1).status() == 200);
            assertThat(Long.parseLong(call(client, "increase-id", 1).text())).isBetween(1_010L, 1_029L);
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
        }
    }

    @Test
    void aMachineIndexThatIsNoneEndsTheStart() {
        List<String> wrong = List.of("-DidBuilder.index=first");
        try (ForkedJvm jvm = ServerProcess.launch(wrong, "--port", "0", "--store", "jdbc:h2:mem:any")) {
            assertThat(jvm.awaitExit(Duration.ofSeconds(60))).isEqualTo(ServerExitCode.USAGE.code());
            assertThat(jvm.errors()).contains("-DidBuilder.index").contains("first");
        }
    }
}
