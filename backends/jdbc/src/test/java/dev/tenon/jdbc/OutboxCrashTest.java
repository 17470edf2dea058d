package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The process that sends messages is killed before, and after, the consumer has committed: points are given once. */
class OutboxCrashTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final OutboxOptions OPTIONS =
            OutboxOptions.DEFAULT.withClaim(Duration.ofSeconds(1)).withPollEvery(Duration.ofMillis(50));

    /** Where the process stands when it is killed. */
    enum Moment {
        BEFORE_THE_EFFECT,
        AFTER_THE_EFFECT
    }

    @ParameterizedTest
    @EnumSource
    void pointsAreGivenOnceThoughTheRelayIsKilled(Moment moment) throws Exception {
        SqlAddress at = PostgresServer.shared();
        try (JdbcBackend backend = TwoBackends.connect(at);
                Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE points (number INT)");
            statement.execute("INSERT INTO points VALUES (0)");
            Outbox writer = Outbox.over(backend.outbox(), message -> Reply.done(), OPTIONS); // never started
            connection.setAutoCommit(false);
            writer.enqueue(connection, Message.of("points", "paid/1", "10"));
            connection.commit();
            try (ForkedJvm relay =
                    ForkedJvm.start(RelayProcess.class, at.url(), at.user(), at.password(), moment.name())) {
                relay.nextLine(moment.name()::equals, PATIENCE);
                relay.kill();
            }
            try (Outbox second = Outbox.over(backend.outbox(), consumer(backend, at), OPTIONS)
                    .start()) {
                Awaitility.await().atMost(PATIENCE).until(() -> second.find(1).isEmpty());
            }
            try (ResultSet row = statement.executeQuery("SELECT number FROM points")) {
                row.next();
                assertThat(row.getInt(1)).isEqualTo(10);
            }
        }
    }

    /**
     * Six messages of one key in one claim: the process is killed at the third, with what it did not write down yet.
     */
    @ParameterizedTest
    @EnumSource
    void aRunGoesOnInItsOrderThoughTheRelayIsKilledInTheMiddleOfIt(Moment moment) throws Exception {
        for (SqlAddress at : List.of(PostgresServer.shared(), MariaDbServer.shared(), MySqlServer.shared())) {
            runIsKilledIn(moment, at);
        }
    }

    private static void runIsKilledIn(Moment moment, SqlAddress at) throws Exception {
        try (JdbcBackend backend = TwoBackends.connect(at);
                Connection connection = at.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE points (number INT)");
            statement.execute("INSERT INTO points VALUES (0)");
            Outbox writer = Outbox.over(backend.outbox(), message -> Reply.done(), OPTIONS); // never started
            connection.setAutoCommit(false);
            for (int i = 1; i <= 6; i++) {
                String digit = "number * 9 + " + i; // tells a changed order from the right one
                writer.enqueue(connection, Message.of("points", "paid/1", digit).withKey("ann"));
            }
            connection.commit();
            try (ForkedJvm relay =
                    ForkedJvm.start(RelayProcess.class, at.url(), at.user(), at.password(), moment.name(), "3")) {
                relay.nextLine(moment.name()::equals, PATIENCE);
                relay.kill();
            }
            try (Outbox second = Outbox.over(backend.outbox(), consumer(backend, at), OPTIONS)
                    .start()) {
                Awaitility.await().atMost(PATIENCE).until(() -> second.find(6).isEmpty());
            }
            try (ResultSet row = statement.executeQuery("SELECT number FROM points")) {
                row.next();
                assertThat(row.getInt(1)).as(at.url()).isEqualTo(Integer.parseInt("123456", 9));
            }
        }
    }

    private static MessageSink consumer(JdbcBackend backend, SqlAddress at) {
        Inbox inbox = Inbox.over(backend.barrier(), "points");
        return message -> {
            try (Connection connection = at.connect()) {
                connection.setAutoCommit(false);
                Reply reply = inbox.once(connection, message, open -> {
                    try (Statement statement = open.createStatement()) {
                        String more = message.key().isPresent() ? message.text() : "number + " + message.text();
                        statement.executeUpdate("UPDATE points SET number = " + more);
                    }
                    return Reply.done();
                });
                connection.commit();
                return reply;
            }
        };
    }

    /** Sends what is there, and stops at the moment that it is told. */
    public static final class RelayProcess {
        private RelayProcess() {}

        /** Arguments: URL, user, password, moment, at which message if not the first. */
        public static void main(String[] args) throws InterruptedException {
            SqlAddress at = new SqlAddress(args[0], args[1], args[2]);
            Moment moment = Moment.valueOf(args[3]);
            int last = args.length > 4 ? Integer.parseInt(args[4]) : 1;
            AtomicInteger count = new AtomicInteger();
            try (JdbcBackend backend = TwoBackends.connect(at)) {
                MessageSink consumer = consumer(backend, at);
                Outbox.over(
                                backend.outbox(),
                                message -> {
                                    if (count.incrementAndGet() < last) {
                                        return consumer.send(message);
                                    }
                                    if (moment == Moment.AFTER_THE_EFFECT) {
                                        consumer.send(message);
                                    }
                                    System.out.println(moment);
                                    new CountDownLatch(1).await();
                                    return Reply.done();
                                },
                                OPTIONS)
                        .start();
                new CountDownLatch(1).await();
            }
        }
    }
}
