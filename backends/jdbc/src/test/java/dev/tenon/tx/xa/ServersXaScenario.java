package dev.tenon.tx.xa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** "two" is PostgreSQL, and "one" another server, each behind a proxy. */
abstract class ServersXaScenario extends XaScenario {
    private FaultProxy wayToOne;
    private FaultProxy postgres;

    /** A database of the other server. */
    abstract SqlAddress addressOfOne();

    /** @param way what the transactions take */
    abstract Place placeOfOne(SqlAddress address, SqlAddress way);

    @Override
    Map<String, Place> newPlaces() {
        SqlAddress one = addressOfOne();
        SqlAddress two = PostgresServer.shared();
        wayToOne = FaultProxy.to(one.socket());
        postgres = FaultProxy.to(two.socket());
        return Map.of(
                "one", placeOfOne(one, one.at(wayToOne.address())).prepared(),
                "two", Place.postgres(two, two.at(postgres.address())).prepared());
    }

    @AfterAll
    void closeProxies() {
        wayToOne.close();
        postgres.close();
    }

    private void during(String step, Runnable fault) {
        AtomicInteger times = new AtomicInteger();
        atStep = at -> {
            if (at.equals(step) && times.getAndIncrement() == 0) {
                fault.run();
            }
        };
    }

    @Test
    void whatWasDecidedIsCommittedAfterEveryConnectionIsLost() throws Exception {
        TransactionId gid;
        during("after decide", () -> {
            wayToOne.cut();
            postgres.cut();
        });
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTING);
        }

        assertThat(awaitEnd(gid).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(one().has("a")).isTrue();
        assertThat(two().has("a")).isTrue();
        assertThat(cluster.databases.pool("one").used()).isZero();
        assertThat(cluster.databases.pool("two").used()).isZero();
    }

    /** From that step on the replies of "one" are lost, until one was. */
    private Thread loseOneReply(String step) {
        CountDownLatch losing = new CountDownLatch(1);
        AtomicLong sent = new AtomicLong();
        during(step, () -> {
            wayToOne.dropReplies();
            sent.set(wayToOne.bytesToClient());
            losing.countDown();
        });
        Thread healer = new Thread(() -> {
            Crowd.awaitQuietly(losing);
            Awaitility.await().atMost(PATIENCE).until(() -> wayToOne.bytesToClient() > sent.get());
            wayToOne.heal();
        });
        healer.setDaemon(true);
        healer.start();
        return healer;
    }

    @Test
    void aCommitWhoseReplyIsLostIsTakenFromTheMarker() throws Exception {
        TransactionId gid;
        Thread healer = loseOneReply("before commit one");
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTING);
        }
        healer.join();

        TransactionRecord end = awaitEnd(gid);
        assertThat(end.state()).as(end::toString).isEqualTo(TransactionState.COMMITTED);
        assertThat(one().has("a")).isTrue();
        assertThat(two().has("a")).isTrue();
    }

    @Test
    void theCommitOfOneDatabaseWhoseReplyIsLostIsTakenFromTheMarkerToo() throws Exception {
        Thread healer = loseOneReply("before commit one");
        try (XaTransaction tx = cluster.xa.begin()) {
            Place.move(tx.connection("one"), "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTED);
        }
        healer.join();

        assertThat(one().has("a")).isTrue();
        assertThat(log.begins).hasValue(0);
    }

    @Test
    void aPrepareWhoseReplyIsLostIsRolledBack() throws Exception {
        Thread healer = loseOneReply("before prepare one");
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
        }
        healer.join();

        awaitAllEnded();
        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
    }

    @Test
    void whatSomebodyCommittedByHandIsSuspendedAndToldApart() throws Exception {
        during("before decide", () -> {
            byHand(two(), XAResource::commit);
            postgres.cut();
            wayToOne.cut();
            throw new IllegalStateException("as if the process had died");
        });
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).hasMessageContaining("died");
        }

        Awaitility.await().atMost(PATIENCE).until(() -> {
            cluster.xa.runOnce();
            cluster.transactions.runOnce(); // should its first call have failed, on a busy machine
            return log.find(gid).flatMap(TransactionRecord::suspended).isPresent();
        });
        assertThat(log.find(gid).orElseThrow().state()).isEqualTo(TransactionState.ABORTING);
        assertThat(log.find(gid).orElseThrow().suspended().orElseThrow()).startsWith("two: refused: heuristic commit");
        assertThat(one().has("a")).isFalse();
    }

    private interface ByHand {
        void run(XAResource resource, Xid xid, boolean onePhase) throws XAException;
    }

    private static void byHand(Place place, ByHand end) {
        try {
            XAConnection hand = place.source().getXAConnection();
            end.run(hand.getXAResource(), Cluster.prepared(place).get(0), false);
            hand.close();
        } catch (SQLException | XAException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void whatIsPreparedWithoutADecisionIsAborted() throws Exception {
        during("before decide", () -> {
            wayToOne.cut();
            postgres.cut();
            throw new IllegalStateException("as if the process had died");
        });
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).hasMessageContaining("died");
        }
        assertThat(log.find(gid)).isEmpty();

        awaitAllEnded();
        assertThat(log.find(gid).orElseThrow().state()).isEqualTo(TransactionState.ABORTED);
        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
    }

    @Test
    void aProcessThatDecidesTooLateFindsTheAbort() throws Exception {
        try (Cluster other = another()) {
            during(
                    "before decide",
                    () -> Awaitility.await().atMost(PATIENCE).until(() -> {
                        other.xa.runOnce();
                        other.transactions.runOnce();
                        return Cluster.prepared(two()).isEmpty();
                    }));
            try (XaTransaction tx = cluster.xa.begin()) {
                moveBoth(tx, "a");
                assertThatThrownBy(tx::commit)
                        .isInstanceOf(TransactionAbortedException.class)
                        .hasMessageContaining("recovery has decided so");
                awaitAllEnded();
                assertThat(log.find(tx.id()).orElseThrow().state()).isEqualTo(TransactionState.ABORTED);
            }
        }
        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
    }

    @Test
    void anAbortThatWasBegunAndLeftIsFinishedAtTheNextLook() throws Exception {
        cluster.close(); // which would find it as well
        XaOptions options = XaOptions.DEFAULT.withOrphanAfter(Duration.ofHours(1));
        try (Cluster quiet = new Cluster(log, places, options, Steps.NONE)) {
            TransactionId gid = quiet.transactions.newId();
            prepareAndLeave(new XaId(Cluster.SERVICE, gid, "two"));
            XaDecisions decisions = new XaDecisions(quiet.transactions, quiet.databases, options);
            log.atUpdate = () -> {
                throw new IllegalStateException("as if the process had died");
            };
            assertThatThrownBy(() -> decisions.abort(gid, "left")).hasMessageContaining("died");
            log.atUpdate = () -> {};
            assertThat(log.find(gid).orElseThrow().state()).isEqualTo(TransactionState.ACTIVE);

            XaOrphans next = new XaOrphans(quiet.transactions, decisions, quiet.databases, options);
            next.hint(gid);
            next.runOnce();

            // Otherwise that comes with its deadline, ten seconds later.
            assertThat(log.find(gid).orElseThrow().state()).isIn(TransactionState.ABORTING, TransactionState.ABORTED);
            Awaitility.await()
                    .atMost(PATIENCE)
                    .until(() -> Cluster.prepared(two()).isEmpty());
        }
    }

    private void prepareAndLeave(XaId id) throws SQLException, XAException {
        XAConnection dead = two().source().getXAConnection();
        try (Connection connection = dead.getConnection()) {
            dead.getXAResource().start(id, XAResource.TMNOFLAGS);
            Place.move(connection, "left");
            dead.getXAResource().end(id, XAResource.TMSUCCESS);
            assertThat(dead.getXAResource().prepare(id)).isEqualTo(XAResource.XA_OK);
        } finally {
            dead.close();
        }
    }

    @Test
    void whenTheLogDoesNotSayTheDatabasesWait() throws Exception {
        log.atBegin = begin -> {
            begin.get();
            throw new OutcomeUnknownException("lost");
        };
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).isInstanceOf(OutcomeUnknownException.class);
        }
        log.atBegin = Supplier::get;
        assertThat(Cluster.prepared(one())).hasSize(1);
        assertThat(Cluster.prepared(two())).hasSize(1);

        cluster.transactions.hurry(gid);
        assertThat(awaitEnd(gid).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(one().has("a")).isTrue();
        assertThat(two().has("a")).isTrue();
    }

    @Test
    void whatSomebodyRolledBackByHandIsSuspendedAndToldApart() throws Exception {
        during("before commit two", () -> byHand(two(), (resource, xid, onePhase) -> resource.rollback(xid)));
        TransactionId gid;
        try (XaTransaction tx = cluster.xa.begin()) {
            gid = tx.id();
            moveBoth(tx, "a");
            assertThat(tx.commit()).isEqualTo(TransactionState.COMMITTING);
        }

        TransactionRecord end = awaitEnd(gid);
        assertThat(end.state()).isEqualTo(TransactionState.COMMITTING);
        assertThat(end.suspended().orElseThrow()).startsWith("two: refused: heuristic rollback");
        assertThat(cluster.transactions.history(gid))
                .extracting(event -> event.what())
                .containsExactly("suspended");
        assertThat(one().has("a")).isTrue();
    }

    /** What somebody else may have chosen. */
    private record ForeignXid(int getFormatId, byte[] getGlobalTransactionId, byte[] getBranchQualifier)
            implements Xid {}

    @Test
    void theBranchesOfOthersAreLeftAlone() throws Exception {
        for (String name : List.of("one", "two")) {
            XaId own = new XaId(Cluster.SERVICE, cluster.transactions.newId(), name);
            for (Xid foreign : List.of(
                    new XaId("shopping", cluster.transactions.newId(), name),
                    new XaId(Cluster.SERVICE, cluster.transactions.newId(), "other-" + name),
                    new ForeignXid(XaId.FORMAT + 1, own.getGlobalTransactionId(), own.getBranchQualifier()))) {
                requireLeftAlone(places.get(name).source(), foreign);
            }
        }
    }

    private void requireLeftAlone(XADataSource source, Xid foreign) throws SQLException, XAException {
        XAConnection others = source.getXAConnection();
        Connection connection = others.getConnection();
        XAResource resource = others.getXAResource();
        resource.start(foreign, XAResource.TMNOFLAGS);
        Place.move(connection, "foreign" + foreign.hashCode());
        resource.end(foreign, XAResource.TMSUCCESS);
        resource.prepare(foreign);
        others.close();
        cluster.xa.runOnce();
        assertThat(cluster.xa.runOnce()).isZero();
        Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            XAConnection again = source.getXAConnection();
            try {
                again.getXAResource().commit(foreign, false); // it is there still
                return true;
            } finally {
                again.close();
            }
        });
    }

    @Test
    void aConstraintThatIsCheckedAtTheEndAbortsBoth() throws Exception {
        two().execute("ALTER TABLE moves ADD CONSTRAINT once UNIQUE (amount) DEFERRABLE INITIALLY DEFERRED");
        try {
            two().execute("INSERT INTO moves VALUES ('before', 1)");
            requireBothAbort();
        } finally {
            two().execute("ALTER TABLE moves DROP CONSTRAINT once");
        }
    }

    private void requireBothAbort() throws SQLException {
        try (XaTransaction tx = cluster.xa.begin()) {
            moveBoth(tx, "a");
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
        }
        try (XaTransaction tx = cluster.xa.begin()) {
            Place.move(tx.connection("two"), "a");
            assertThatThrownBy(tx::commit).isInstanceOf(TransactionAbortedException.class);
        }
        assertThat(one().has("a")).isFalse();
        assertThat(two().has("a")).isFalse();
        awaitAllEnded();
    }

    @Test
    void roundTrips() throws Exception {
        long one = Long.MAX_VALUE;
        long two = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) { // at first connections are made; later a slow machine may have one of them tried
            long oneBefore = wayToOne.exchanges();
            long twoBefore = postgres.exchanges();
            try (XaTransaction tx = cluster.xa.begin()) {
                moveBoth(tx, "a" + i);
                tx.commit();
            }
            one = Math.min(one, wayToOne.exchanges() - oneBefore);
            two = Math.min(two, postgres.exchanges() - twoBefore);
        }

        assertThat(one).as("start, work, marker, end, prepare, commit").isEqualTo(6);
        assertThat(two).as("begin, work, marker, prepare, commit").isEqualTo(5);
    }
}
