package dev.tenon.jdbc;

import dev.tenon.testkit.OutboxStoreContract;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.spi.OutboxStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;

/** The store of the outbox in one database. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutboxOnDatabase extends OutboxStoreContract {
    private final String url;
    private final String user;
    private final String password;
    private final JdbcBackend one;
    private final JdbcBackend other;

    OutboxOnDatabase(SqlAddress at) {
        this(at.url(), at.user(), at.password());
    }

    OutboxOnDatabase(String url, String user, String password) {
        this.url = url;
        this.user = user;
        this.password = password;
        this.one = JdbcBackend.connect(url, user, password);
        this.other = JdbcBackend.connect(url, user, password);
    }

    @AfterAll
    void disconnect() {
        one.close();
        other.close();
    }

    @Override
    protected OutboxStore store() {
        return one.outbox();
    }

    @Override
    protected OutboxStore otherStore() {
        return other.outbox();
    }

    @Override
    protected Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
