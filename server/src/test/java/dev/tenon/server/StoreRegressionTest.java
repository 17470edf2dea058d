package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.TestClient.Answer;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that is set back to an older state under a running server: said loudly, issued nothing, mended by one call.
 */
class StoreRegressionTest {
    private static final String BROKEN = "sequence-regressed";
    private static final int BATCH = 10;

    /** A store whose state can be kept and brought back. */
    interface Restorable {
        StoreLocation address();

        void save();

        void restore();
    }

    /** Every kind of store that can be rolled back in earnest. */
    enum Kind {
        MARIADB {
            @Override
            Restorable store() {
                return new Sql(MariaDbServer.shared().newDatabase());
            }
        },
        MYSQL {
            @Override
            Restorable store() {
                return new Sql(MySqlServer.shared());
            }
        },
        POSTGRESQL {
            @Override
            Restorable store() {
                return new Sql(PostgresServer.shared().newDatabase());
            }
        },
        REDIS {
            @Override
            Restorable store() {
                return new Redis(
                        RedisServer.shared().newDatabase(), RedisServer.shared().newDatabase());
            }
        };

        abstract Restorable store();
    }

    private record Sql(SqlAddress sql) implements Restorable {
        @Override
        public StoreLocation address() {
            return new StoreLocation(sql.url(), Optional.of(sql.user()), Optional.of(sql.password()));
        }

        @Override
        public void save() {
            run("CREATE TABLE saved AS SELECT * FROM tenon_range");
        }

        @Override
        public void restore() {
            run("DELETE FROM tenon_range", "INSERT INTO tenon_range SELECT * FROM saved");
        }

        private void run(String... statements) {
            try (Connection connection = sql.connect();
                    Statement statement = connection.createStatement()) {
                for (String text : statements) {
                    statement.execute(text);
                }
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private record Redis(RedisAddress live, RedisAddress backup) implements Restorable {
        @Override
        public StoreLocation address() {
            return new StoreLocation(live.uri(), Optional.empty(), Optional.empty());
        }

        @Override
        public void save() {
            copy(live, backup);
        }

        @Override
        public void restore() {
            copy(backup, live);
        }

        private static void copy(RedisAddress from, RedisAddress to) {
            to.command("FLUSHDB");
            for (String key : from.command("KEYS", "*").split("\n")) {
                from.command("COPY", key, key, "DB", String.valueOf(to.database()));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void aStoreThatWentBackIsSaidAndRaised(Kind kind) {
        Restorable store = kind.store();
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), store.address())) {
            TestClient client = new TestClient(node.port());
            Set<String> ids = new HashSet<>();
            List<String> names = List.of("seq", "seg", "mixed");
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\"}");
            client.put("/v1/ids/seg", "{\"kind\":\"segment\",\"step\":100}");
            client.put("/v1/ids/mixed", "{\"kind\":\"shuffled\",\"step\":100}");
            names.forEach(
                    name -> assertThat(draw(client, name, 50, ids).status()).isEqualTo(200));
            store.save();
            names.forEach(
                    name -> assertThat(draw(client, name, 950, ids).status()).isEqualTo(200));
            store.restore();

            for (String name : names) {
                Answer answer = draw(client, name, 1000, ids);
                assertThat(answer.problem()).isEqualTo(BROKEN);
                assertThat(answer.detail())
                        .contains("\"" + name + "\" went back")
                        .contains("tenon id raise");
            }
            Answer ready = client.fetch("/readyz");
            assertThat(ready.problem()).isEqualTo(BROKEN);
            assertThat(ready.json().path("names").toString()).contains(names);
            assertThat(client.fetch("/healthz").status()).isEqualTo(200);
            assertThat(client.fetch("/healthz").json().path("regressed").toString())
                    .contains(names);

            for (String name : names) {
                assertThat(client.fetch("/v1/ids/" + name)
                                .json()
                                .path("regression")
                                .asString())
                        .contains("went back");
                repair(client, name);
                int before = ids.size();
                await().until(() -> draw(client, name, BATCH, ids).status() == 200);
                assertThat(draw(client, name, 190, ids).status()).isEqualTo(200);
                assertThat(ids).hasSize(before + 200);
            }
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
            assertThat(client.fetch("/healthz").text()).doesNotContain("regressed");
        }
    }

    private static void repair(TestClient client, String name) {
        long seen = Long.parseLong(
                client.fetch("/v1/ids/" + name).json().path("highestSeen").asString());
        assertThat(seen).isGreaterThanOrEqualTo(1000);
        Answer low = client.post("/v1/ids/" + name + "/raise", "{\"above\":\"" + (seen - 1) + "\"}");
        assertThat(low.status()).isEqualTo(400);
        assertThat(low.detail()).contains(String.valueOf(seen));
        Answer raised = client.post("/v1/ids/" + name + "/raise", "");
        assertThat(raised.status()).as(raised.text()).isEqualTo(200);
        assertThat(raised.json().path("next").asString()).isEqualTo(String.valueOf(seen + 1));
    }

    /** Readiness returns with the repair, not with the first number that somebody draws: nobody would. */
    @Test
    void readinessReturnsWithoutANumberDrawnAndTheDefinitionIsRestored() {
        RedisAddress redis = RedisServer.shared().newDatabase();
        StoreLocation store = new StoreLocation(redis.uri(), Optional.empty(), Optional.empty());
        try (Node first = Node.open(NodeOptions.at("127.0.0.1", 0), store);
                Node second = Node.open(NodeOptions.at("127.0.0.1", 0), store)) {
            TestClient client = new TestClient(first.port());
            TestClient other = new TestClient(second.port());
            client.put("/v1/ids/seq", "{\"kind\":\"sequence\",\"code\":9}");
            assertThat(client.next("seq", 3)).containsExactly("1", "2", "3");
            redis.command("FLUSHDB");
            assertThat(client.post("/v1/ids/seq/next", "").problem()).isEqualTo(BROKEN);
            assertThat(client.fetch("/readyz").status()).isEqualTo(503);
            assertThat(other.fetch("/readyz").status()).isEqualTo(200);
            assertThat(other.fetch("/v1/ids/seq").status()).isEqualTo(404);
            assertThat(client.post("/v1/ids/seq/raise", "{}")
                            .json()
                            .path("next")
                            .asString())
                    .isEqualTo("4");
            assertThat(client.fetch("/readyz").status()).isEqualTo(200);
            assertThat(other.fetch("/id-builder/increase-seq-id?code=9").text()).isEqualTo("4");
            assertThat(client.next("seq", 1)).containsExactly("5");
        }
    }

    /** Draws until there are so many more or something else than IDs is answered; the last answer. */
    private static Answer draw(TestClient client, String name, int count, Set<String> ids) {
        Answer answer;
        int drawn = 0;
        do {
            answer = client.post("/v1/ids/" + name + "/next?count=" + BATCH, "");
            answer.json()
                    .path("ids")
                    .forEach(id -> assertThat(ids.add(name + id.asString()))
                            .as(name + " " + id)
                            .isTrue());
            drawn += BATCH;
        } while (drawn < count && answer.status() == 200);
        return answer;
    }
}
