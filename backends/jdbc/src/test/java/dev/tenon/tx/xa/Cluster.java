package dev.tenon.tx.xa;

import dev.tenon.TimeSource;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** One process of the service: a log, two databases "one" and "two", and the transactions over them. */
final class Cluster implements AutoCloseable {
    static final String SERVICE = "shop";

    final XaDatabases databases;
    final Transactions transactions;
    final Xa xa;

    Cluster(TransactionStore log, Map<String, Place> places, XaOptions options, Steps steps) {
        this(log, places, options, steps, Duration.ofSeconds(30));
    }

    Cluster(TransactionStore log, Map<String, Place> places, XaOptions options, Steps steps, Duration claim) {
        Map<String, XaDatabase> all = new TreeMap<>();
        places.forEach((name, place) -> all.put(name, place.database()));
        databases = XaDatabases.of(all, steps);
        TransactionOptions quick = TransactionOptions.DEFAULT
                .withService(SERVICE)
                .withClaim(claim)
                .withPollEvery(Duration.ofMillis(50))
                .withTime(TimeSource.system());
        transactions = TransactionEngine.over(log, databases, quick);
        xa = Xa.over(transactions, databases, options);
    }

    /** Recovery has done all that it can when this is true. */
    boolean isAllEnded(Map<String, Place> places) {
        xa.runOnce();
        transactions.runOnce();
        List<TransactionRecord> all =
                transactions.list(TransactionFilter.ALL, "", 1000).transactions();
        boolean ended = all.stream().map(TransactionRecord::state).allMatch(TransactionState::isFinal);
        return ended
                && places.values().stream().allMatch(place -> prepared(place).isEmpty());
    }

    /** What is prepared in a database, of this service. */
    static List<Xid> prepared(Place place) {
        try {
            XAConnection connection = place.source().getXAConnection();
            try {
                return List.of(connection.getXAResource().recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN))
                        .stream()
                        .filter(xid -> new String(xid.getGlobalTransactionId(), StandardCharsets.US_ASCII)
                                .startsWith(SERVICE + "/"))
                        .toList();
            } finally {
                connection.close();
            }
        } catch (SQLException | XAException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        xa.close();
        transactions.close();
        databases.close();
    }
}
