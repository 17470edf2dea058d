package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestServer;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionRecord;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * MariaDB or MySQL, PostgreSQL, and the log on PostgreSQL; kill -9 of the process that decides, of the one that
 * recovers, and of each server, before and after every step. Both databases have what a transaction did, or neither
 * has.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class XaKillTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** Which server "one" is on. */
    private enum Kind {
        MARIADB,
        MYSQL
    }

    private MariaDbServer mariaDb;
    private MySqlServer mySql;
    private PostgresServer postgres;
    private SqlAddress one;
    private SqlAddress two;
    private SqlAddress last;
    private Map<String, Place> places;
    private Place lastPlace;
    private JdbcBackend log;
    private List<String> steps;

    @BeforeAll
    void startServers() {
        mariaDb = MariaDbServer.start();
        mySql = MySqlServer.start();
        postgres = PostgresServer.start();
    }

    @AfterAll
    void stopServers() {
        mariaDb.close();
        mySql.close();
        postgres.close();
    }

    private void makeDatabases(Kind kind) throws Exception {
        one = (kind == Kind.MARIADB ? mariaDb.address() : mySql.address()).newDatabase();
        two = postgres.address().newDatabase();
        last = postgres.address().newDatabase();
        places = Map.of(
                "one", Place.of(one).prepared(), "two", Place.postgres(two).prepared());
        lastPlace = Place.postgres(last).prepared();
        log = JdbcBackend.connect(last.url(), last.user(), last.password());
        steps = new Crowd(log.transactions(), places, last).steps();
        assertThat(steps)
                .doesNotHaveDuplicates()
                .hasSize(40)
                .contains(
                        "before prepare one", "after decide", "last before decide with last", "last after commit two");
    }

    @AfterEach
    void closeDatabases() {
        places.values().forEach(Place::close);
        lastPlace.close();
        log.close();
    }

    @ParameterizedTest
    @EnumSource
    void theProcessIsKilledAtEachStepAndRecoveryAtEachOfIts(Kind kind) throws Exception {
        makeDatabases(kind);
        try (ForkedJvm process = fork("crowd", String.join(",", steps))) {
            awaitAt(process, Set.copyOf(steps));
            process.kill();
        }
        try (ForkedJvm recovery = fork("recovery", "")) {
            Set<String> all = new TreeSet<>();
            for (String name : List.of("one", "two")) {
                for (String what : List.of("commit", "rollback")) {
                    all.add("before " + what + " " + name + " in recovery");
                    all.add("after " + what + " " + name + " in recovery");
                }
            }
            awaitAt(recovery, all);
            recovery.kill();
        }

        recoverAll();
        for (String step : steps) {
            requireBothOrNone(step);
            assertThat(places.get("one").has(Crowd.id(step))).as(step).isEqualTo(!Crowd.isBeforeDecision(step));
        }
    }

    @Test
    void mariaDbIsKilledAtEachStep() throws Exception {
        makeDatabases(Kind.MARIADB);
        serverIsKilledAtEachStep(mariaDb);
    }

    @Test
    void mySqlIsKilledAtEachStep() throws Exception {
        makeDatabases(Kind.MYSQL);
        serverIsKilledAtEachStep(mySql);
    }

    @Test
    void postgresIsKilledAtEachStep() throws Exception {
        makeDatabases(Kind.MARIADB);
        serverIsKilledAtEachStep(postgres);
    }

    private void serverIsKilledAtEachStep(TestServer server) throws Exception {
        Set<String> there = new ConcurrentSkipListSet<>();
        CountDownLatch go = new CountDownLatch(1);
        Crowd crowd = new Crowd(log.transactions(), places, last);
        crowd.start(steps, there::add, go);
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(there).hasSameElementsAs(steps));
        server.kill();
        go.countDown();
        Map<String, String> results = crowd.results();
        server.restart();

        recoverAll();
        for (String step : steps) {
            requireBothOrNone(step);
            String told = results.get(step);
            boolean there1 = places.get("one").has(Crowd.id(step));
            if (told.startsWith("COMMITT")) {
                assertThat(there1).as(step + " was told " + told).isTrue();
            } else if (!told.equals("UNKNOWN")) {
                assertThat(there1).as(step + " was told " + told).isFalse();
            }
        }
        assertThat(results.values()).contains("COMMITTING", "ABORTED");
    }

    private ForkedJvm fork(String what, String steps) {
        List<String> args = new ArrayList<>(List.of(what));
        for (SqlAddress address : List.of(one, two, last)) {
            args.addAll(List.of(address.url(), address.user(), address.password()));
        }
        args.add(steps);
        return ForkedJvm.start(XaProcess.class, args.toArray(String[]::new));
    }

    private static void awaitAt(ForkedJvm process, Set<String> wanted) {
        Awaitility.await()
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(process.lines())
                        .as(process::errors)
                        .containsAll(wanted.stream().map(step -> "at " + step).toList()));
    }

    private void recoverAll() {
        try (Cluster recovery = new Cluster(
                log.transactions(), places, XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)), Steps.NONE)) {
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> recovery.isAllEnded(places));
            List<TransactionRecord> all =
                    recovery.transactions.list(TransactionFilter.ALL, "", 1000).transactions();
            assertThat(all)
                    .isNotEmpty()
                    .allMatch(tx -> tx.suspended().isEmpty() && tx.state().isFinal());
        }
    }

    private void requireBothOrNone(String step) {
        String id = Crowd.id(step);
        assertThat(places.get("one").has(id))
                .as(step)
                .isEqualTo(places.get("two").has(id));
        if (Crowd.hasLast(step)) {
            assertThat(lastPlace.has(id)).as(step).isEqualTo(places.get("two").has(id));
        }
    }
}
