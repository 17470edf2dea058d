package dev.tenon.jdbc;

import dev.tenon.testkit.LocalTransactionStoreContract;
import dev.tenon.tx.spi.LocalTransactionStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The log in one database, within local transactions. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class LocalTransactionScenario extends LocalTransactionStoreContract {
    private final SqlPlace place;
    private final JdbcBackend one;
    private final JdbcBackend other;

    LocalTransactionScenario(SqlPlace place) {
        this.place = place;
        this.one = place.open();
        this.other = place.open();
    }

    @AfterAll
    void stop() {
        one.close();
        other.close();
    }

    @Override
    protected LocalTransactionStore store() {
        return one.transactions();
    }

    @Override
    protected LocalTransactionStore otherStore() {
        return other.transactions();
    }

    @Override
    protected Connection connect() throws SQLException {
        return place.connect();
    }
}
