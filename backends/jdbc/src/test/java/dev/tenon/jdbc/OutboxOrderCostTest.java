package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.CountedDatabase.Count;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What it costs to send messages in the order of their keys, counted and not timed: a run of a key is claimed once and
 * settled once.
 */
class OutboxOrderCostTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int EACH = 100;
    private static final int ROUNDS = 6;

    static Stream<Arguments> places() {
        Supplier<SqlAddress> mariaDb = MariaDbServer::shared;
        Supplier<SqlAddress> mySql = MySqlServer::shared;
        Supplier<SqlAddress> postgres = PostgresServer::shared;
        return Stream.of(
                Arguments.argumentSet("MariaDB, one key", mariaDb, 1),
                Arguments.argumentSet("MariaDB, twelve keys", mariaDb, 12),
                Arguments.argumentSet("MySQL, one key", mySql, 1),
                Arguments.argumentSet("MySQL, twelve keys", mySql, 12),
                Arguments.argumentSet("PostgreSQL, one key", postgres, 1),
                Arguments.argumentSet("PostgreSQL, twelve keys", postgres, 12));
    }

    @ParameterizedTest
    @MethodSource("places")
    void aRunOfAKeyIsClaimedOnceAndSettledOnce(Supplier<SqlAddress> server, int keys) throws Exception {
        Map<String, List<Integer>> sent = new ConcurrentHashMap<>();
        try (CountedDatabase database = new CountedDatabase(server.get());
                Outbox outbox = Outbox.over(
                        database.backend.outbox(),
                        message -> {
                            sent.computeIfAbsent(message.key().orElseThrow(), key -> new CopyOnWriteArrayList<>())
                                    .add(Integer.valueOf(message.text()));
                            return Reply.done();
                        },
                        OutboxOptions.DEFAULT)) {
            write(database, outbox, keys);
            Count before = database.count();
            outbox.start().dispatch();
            Awaitility.await().atMost(PATIENCE).until(() -> database.isEmpty("tenon_outbox"));
            Count spent = database.count().minus(before);
            double messages = EACH * ROUNDS;
            assertThat(spent.statements() / messages).as("statements a message").isLessThan(0.35);
            assertThat(spent.commits() / messages).as("commits a message").isLessThan(0.12);
        }
        assertThat(sent)
                .hasSize(keys)
                .allSatisfy((key, order) -> assertThat(order).isSorted());
    }

    private static void write(CountedDatabase database, Outbox outbox, int keys) throws SQLException {
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int round = 0; round < ROUNDS; round++) {
                int first = round * EACH;
                List<Message> batch = new ArrayList<>();
                IntStream.range(first, first + EACH)
                        .mapToObj(i ->
                                Message.of("audit", "t/1", String.valueOf(i)).withKey("key " + i % keys))
                        .forEach(batch::add);
                outbox.enqueue(connection, batch);
            }
            connection.commit();
        }
    }
}
