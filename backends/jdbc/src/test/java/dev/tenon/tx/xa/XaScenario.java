package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionOutcome;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.engine.TransactionEngine;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What a transaction over two databases does, whichever they are. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class XaScenario {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final CopyOnWriteArrayList<String> steps = new CopyOnWriteArrayList<>();
    volatile Steps atStep = Steps.NONE;
    Map<String, Place> places = Map.of();
    TestLog log;
    Cluster cluster;

    abstract Map<String, Place> newPlaces();

    @BeforeAll
    void makePlaces() {
        places = newPlaces();
    }

    @AfterAll
    void closePlaces() {
        places.values().forEach(Place::close);
    }

    @BeforeEach
    void open() {
        places.values().forEach(place -> place.execute("DELETE FROM moves"));
        steps.clear();
        atStep = Steps.NONE;
        log = new TestLog();
        cluster = new Cluster(log, places, XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)), step -> {
            steps.add(step);
            atStep.at(step);
        });
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    Place one() {
        return places.get("one");
    }

    Place two() {
        return places.get("two");
    }

    void moveBoth(XaTransaction tx, String id) throws SQLException {
        Place.move(tx.connection("one"), id);
        Place.move(tx.connection("two"), id);
    }

    /** Another process of the same service, for what a test wants to happen elsewhere. */
    Cluster another() {
        return new Cluster(log, places, XaOptions.DEFAULT.withOrphanAfter(Duration.ofMillis(1)), Steps.NONE);
    }

    TransactionRecord awaitEnd(TransactionId gid) throws InterruptedException {
        Awaitility.await().atMost(PATIENCE).until(() -> log.find(gid).isPresent());
        return cluster.transactions.await(gid, PATIENCE);
    }

    void awaitAllEnded() {
        Awaitility.await().atMost(PATIENCE).until(() -> cluster.isAllEnded(places));
    }

    @Test
    void bothAreCommittedWithOneWriteBeforehandAndOneAfterwards() throws Exception {
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThat(one().has("a")).isFalse();
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }

        assertThat(one().has("a")).isTrue();
        assertThat(two().has("a")).isTrue();
        assertThat(awaitEnd(gid).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(log.begins).hasValue(1);
        assertThat(log.updates).hasValue(1);
        int decided = steps.indexOf("after decide");
        assertThat(steps.subList(0, decided)).contains("after prepare one", "after prepare two");
        assertThat(steps.subList(decided, steps.size())).contains("before commit one", "before commit two");
        assertThat(cluster.transactions.outcome(gid)).isEqualTo(new TransactionOutcome.Committed());
    }

    @Test
    void whatIsNotCommittedIsRolledBackAndNotInTheLog() throws Exception {
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
        }
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "b");
            tx.rollback();
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
            assertThatThrownBy(() -> tx.connection("one")).isInstanceOf(TransactionAbortedException.class);
        }

        assertThat(one().count("1 = 1") + two().count("1 = 1")).isZero();
        assertThat(log.begins).hasValue(0);
    }

    @Test
    void ofOneDatabaseThereIsOnePhaseAndNoDecision() throws Exception {
        try (XaTransaction tx = cluster.xa.begin()) {
            Place.move(tx.connection("one"), "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }

        assertThat(one().has("a")).isTrue();
        assertThat(log.begins).hasValue(0);
        assertThat(steps).noneMatch(step -> step.contains("prepare"));
    }

    @Test
    void whatIsReadOnlyTakesNoPart() throws Exception {
        one().execute("INSERT INTO moves VALUES ('before', 1)");
        try (XaTransaction tx = cluster.xa.begin()) {
            try (var statement = tx.readOnly("one").createStatement();
                    var rows = statement.executeQuery("SELECT id FROM moves")) {
                assertThat(rows.next()).isTrue();
            }
            assertThatThrownBy(() -> tx.connection("one")).hasMessageContaining("read-only");
            Place.move(tx.connection("two"), "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }

        assertThat(two().has("a")).isTrue();
        assertThat(log.begins).hasValue(0);
        assertThat(steps).noneMatch(step -> step.contains("prepare"));
        try (XaTransaction tx = cluster.xa.begin()) { // and the connection can write again
            Place.move(tx.connection("one"), "b");
            tx.commit();
        }
        assertThat(one().has("b")).isTrue();
    }

    @Test
    void nothingIsCommittedWhenOneCanNotPrepare() throws Exception {
        atStep = step -> {
            if (step.equals("before prepare two")) {
                throw new IllegalStateException("no");
            }
        };
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit)
                    .isInstanceOf(TransactionAbortedException.class)
                    .hasMessageContaining("two can't commit: no");
        }

        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
        assertThat(log.begins).hasValue(0);
        assertThat(cluster.databases.pool("one").used()).isZero();
        assertThat(cluster.databases.pool("two").used()).isZero();
    }

    @Test
    void businessCodeCanNotEndItsPart() throws Exception {
        try (XaTransaction tx = cluster.xa.begin()) {
            Connection connection = tx.connection("one");
            assertThat(tx.connection("one")).isSameAs(connection);
            Place.move(connection, "a");
            assertThatThrownBy(connection::commit).hasMessageContaining("XaTransaction.commit()");
            assertThatThrownBy(connection::rollback).hasMessageContaining("XaTransaction.commit()");
            assertThatThrownBy(() -> connection.setAutoCommit(true)).hasMessageContaining("XaTransaction.commit()");
            assertThat(connection.getAutoCommit()).isFalse();
            connection.close();
            Place.move(connection, "b");
            tx.commit();
            assertThat(connection.isClosed()).isTrue();
            assertThatThrownBy(() -> Place.move(connection, "c")).hasMessageContaining("is over");
        }

        assertThat(one().count("1 = 1")).isEqualTo(2);
        assertThatThrownBy(() -> cluster.xa.begin().connection("three")).hasMessageContaining("[one, two]");
    }

    @Test
    void aConnectionComesBackOnlyAsItWas() throws Exception {
        XaPool pool = cluster.databases.pool("one");
        commitOn("one", connection -> Place.move(connection, "a"));
        assertThat(pool.idle()).isEqualTo(1);

        commitOn("one", connection -> {
            Place.move(connection, "b");
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        });
        assertThat(pool.idle()).isZero();

        commitOn("one", connection -> Place.move(connection, "c"));
        assertThatThrownBy(() -> commitOn("one", connection -> {
                    Place.move(connection, "d");
                    Place.move(connection, "c");
                }))
                .isInstanceOf(SQLException.class);
        try (XaTransaction tx = cluster.xa.begin()) {
            assertThat(one().has("d")).isFalse();
            Place.move(tx.connection("one"), "d");
            tx.commit();
        }
        assertThat(pool.used()).isZero();
        assertThat(one().count("1 = 1")).isEqualTo(4);
    }

    private interface Work {
        void on(Connection connection) throws SQLException;
    }

    private void commitOn(String database, Work work) throws SQLException {
        try (XaTransaction tx = cluster.xa.begin()) {
            work.on(tx.connection(database));
            tx.commit();
        }
    }

    @Test
    void anErrorThatWasSwallowedDoesNotHalveTheTransaction() throws Exception {
        commitOn("two", connection -> Place.move(connection, "a"));
        boolean committed;
        try (XaTransaction tx = cluster.xa.begin()) {
            Place.move(tx.connection("one"), "b");
            Connection two = tx.connection("two");
            Place.move(two, "b");
            assertThatThrownBy(() -> Place.move(two, "a")).isInstanceOf(SQLException.class);
            committed = commits(tx);
        }

        assertThat(one().has("b")).isEqualTo(committed);
        assertThat(two().has("b")).isEqualTo(committed);
    }

    @Test
    void anErrorThatWasSwallowedIsNotACommitOfOneDatabaseEither() throws Exception {
        commitOn("two", connection -> Place.move(connection, "a"));
        boolean committed;
        try (XaTransaction tx = cluster.xa.begin()) {
            Connection two = tx.connection("two");
            Place.move(two, "b");
            assertThatThrownBy(() -> Place.move(two, "a")).isInstanceOf(SQLException.class);
            committed = commits(tx);
        }

        assertThat(two().has("b")).isEqualTo(committed);
    }

    private static boolean commits(XaTransaction tx) {
        try {
            return tx.commit() == TransactionState.COMMITTED;
        } catch (TransactionAbortedException e) {
            return false;
        }
    }

    @Test
    void aDecisionThatTheLogCanNotTakeIsAnAbort() throws Exception {
        log.atBegin = begin -> {
            throw new BackendUnavailableException("down");
        };
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
        }

        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
        assertThat(Cluster.prepared(one())).isEmpty();
        assertThat(Cluster.prepared(two())).isEmpty();
    }

    @Test
    void aDecisionWhoseReplyWasLostIsAskedForAgain() throws Exception {
        AtomicBoolean lost = new AtomicBoolean();
        log.atBegin = begin -> {
            var begun = begin.get();
            if (lost.compareAndSet(false, true)) {
                throw new OutcomeUnknownException("lost");
            }
            return begun;
        };
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }
        assertThat(one().has("a")).isTrue();
        assertThat(two().has("a")).isTrue();
    }

    @Test
    void aTransactionPastItsDeadlineIsRolledBack() throws Exception {
        try (Cluster brief =
                new Cluster(log, places, XaOptions.DEFAULT.withDeadline(Duration.ofMillis(1)), Steps.NONE)) {
            XaTransaction left = brief.xa.begin();
            Place.move(left.connection("one"), "a");
            Awaitility.await().atMost(PATIENCE).until(() -> {
                brief.xa.runOnce();
                return brief.databases.pool("one").used() == 0;
            });
            assertThatThrownBy(left::commit).isInstanceOf(TransactionAbortedException.class);
        }
        one().execute("INSERT INTO moves VALUES ('a', 1)"); // nobody holds it
    }

    @Test
    void bothOfManyAtTheSameTime() throws Exception {
        List<Thread> threads = IntStream.range(0, 8)
                .mapToObj(n -> new Thread(() -> {
                    for (int i = 0; i < 5; i++) {
                        try (XaTransaction tx = cluster.xa.begin()) {
                            moveBoth(tx, n + "-" + i);
                            if (i != 2) {
                                tx.commit();
                            }
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(one().count("1 = 1")).isEqualTo(32);
        assertThat(two().count("1 = 1")).isEqualTo(32);
        assertThat(one().count("id LIKE '%-2'") + two().count("id LIKE '%-2'")).isZero();
        awaitAllEnded();
    }

    @Test
    void aServiceNeedsAName() {
        assertThatThrownBy(() -> Xa.over(
                        TransactionEngine.over(log, cluster.databases, TransactionOptions.DEFAULT), cluster.databases))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("withService");
    }
}
