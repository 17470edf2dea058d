package dev.tenon.benchmarks;

import dev.tenon.DaemonThreads;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.postgresql.PGConnection;
import org.postgresql.PGProperty;
import org.postgresql.replication.PGReplicationStream;

/**
 * What Debezium's outbox connector does, without Kafka: the rows of a table come from PostgreSQL's replication slot
 * ({@code pgoutput}) in the order of their commits, to one thread, which says how far it came. A server that writes its
 * log for that is needed ({@code wal_level = logical}), and one reader. Nothing is claimed, tried again, or put aside.
 */
final class LogTail implements SendingOutbox {
    private static final String TITLE = "a tail of the database's log (logical replication), one reader";
    private static final int PORTION = 50;

    private final Accounts bank;
    private final Connection connection;
    private final Thread reader = DaemonThreads.of("log-tail", this::read);
    private volatile Consumer<String> handler = text -> {};
    private volatile boolean closed;

    LogTail(Accounts bank, String url, String user) throws SQLException {
        this.bank = bank;
        SqlPool.execute(
                bank.pool(), "CREATE TABLE letter (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body TEXT)");
        SqlPool.execute(bank.pool(), "CREATE PUBLICATION letters FOR TABLE letter WITH (publish = 'insert')");
        Properties properties = new Properties();
        PGProperty.USER.set(properties, user);
        PGProperty.PASSWORD.set(properties, user);
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "12");
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        this.connection = DriverManager.getConnection(url, properties);
        connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .createReplicationSlot()
                .logical()
                .withSlotName("letters")
                .withOutputPlugin("pgoutput")
                .withTemporaryOption()
                .make();
    }

    @Override
    public String title() {
        return TITLE;
    }

    @Override
    public boolean ordered() {
        return true;
    }

    @Override
    public void start(Consumer<String> to) {
        handler = to;
        reader.start();
    }

    @Override
    public void write(int account, String key, String text) throws SQLException {
        try (Connection business = bank.begin()) {
            Accounts.move(business, account);
            try (PreparedStatement insert = business.prepareStatement("INSERT INTO letter (body) VALUES (?)")) {
                insert.setString(1, text);
                insert.executeUpdate();
            }
            business.commit();
        }
    }

    private void read() {
        try (PGReplicationStream stream = connection
                .unwrap(PGConnection.class)
                .getReplicationAPI()
                .replicationStream()
                .logical()
                .withSlotName("letters")
                .withSlotOption("proto_version", 1)
                .withSlotOption("publication_names", "letters")
                .withStatusInterval(1, TimeUnit.SECONDS)
                .start()) {
            int sinceFlush = 0;
            while (!closed) {
                ByteBuffer event = stream.read();
                if (event.get() == 'I') {
                    handler.accept(body(event));
                }
                stream.setAppliedLSN(stream.getLastReceiveLSN());
                stream.setFlushedLSN(stream.getLastReceiveLSN());
                if (++sinceFlush % PORTION == 0) {
                    stream.forceUpdateStatus();
                }
            }
        } catch (SQLException e) {
            if (!closed) {
                throw new IllegalStateException("The tail broke", e);
            }
        }
    }

    /** The second column of an insert, as the protocol of logical replication has it. */
    private static String body(ByteBuffer event) {
        event.getInt(); // the table
        event.get(); // 'N'
        event.getShort(); // two columns
        next(event);
        return new String(next(event), StandardCharsets.UTF_8);
    }

    private static byte[] next(ByteBuffer event) {
        event.get(); // 't'
        byte[] text = new byte[event.getInt()];
        event.get(text);
        return text;
    }

    @Override
    public void close() {
        closed = true;
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException("The tail did not end", e);
        }
    }
}
