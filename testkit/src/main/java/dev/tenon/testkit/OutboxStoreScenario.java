package dev.tenon.testkit;

import dev.tenon.tx.Message;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;

/**
 * What the tests of an {@link OutboxStore} have in common: two stores over one database, connections to it, a fresh
 * outbox.
 */
abstract class OutboxStoreScenario {
    static final Duration LEASE = Duration.ofMinutes(10);
    static final Duration MOMENT = Duration.ofMillis(1);
    static final Duration PATIENCE = Duration.ofSeconds(30);

    String outbox = "";

    /** The store. */
    protected abstract OutboxStore store();

    /** The store of another process. */
    protected abstract OutboxStore otherStore();

    /** A new connection to the same database. */
    protected abstract Connection connect() throws SQLException;

    @BeforeEach
    void chooseName() {
        outbox = "outbox " + UUID.randomUUID();
    }

    Connection begin() throws SQLException {
        Connection connection = connect();
        connection.setAutoCommit(false);
        return connection;
    }

    void commit(Message... messages) throws SQLException {
        try (Connection connection = begin()) {
            store().insert(connection, outbox, Arrays.asList(messages));
            connection.commit();
        }
    }

    List<OutboxEntry> claim(int limit) {
        return store().claim(outbox, LEASE, limit).entries();
    }

    /** All that can be claimed now. */
    List<OutboxEntry> drain(OutboxStore from) {
        List<OutboxEntry> all = new ArrayList<>();
        OutboxStore.Claimed claimed;
        do {
            claimed = from.claim(outbox, LEASE, 10);
            all.addAll(claimed.entries());
        } while (claimed.more() || !claimed.entries().isEmpty());
        return all;
    }

    OutboxEntry awaitClaim(OutboxStore from) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(() -> from.claim(outbox, LEASE, 10).entries(), found -> !found.isEmpty())
                .get(0);
    }

    static Message message(String text) {
        return Message.of("target", "t/1", text);
    }

    static Message keyed(String key, String text) {
        return message(text).withKey(key);
    }

    static List<String> texts(List<OutboxEntry> entries) {
        return entries.stream().map(entry -> entry.message().text()).toList();
    }
}
