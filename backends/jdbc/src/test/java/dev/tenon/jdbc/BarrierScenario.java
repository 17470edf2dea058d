package dev.tenon.jdbc;

import dev.tenon.testkit.BarrierStoreContract;
import dev.tenon.tx.spi.BarrierStore;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The barrier in one database. */
@TestInstance(Lifecycle.PER_CLASS)
abstract class BarrierScenario extends BarrierStoreContract {
    private final SqlPlace place;
    private final JdbcBackend backend;

    BarrierScenario(SqlPlace place) {
        this.place = place;
        this.backend = place.open();
    }

    @AfterAll
    void stop() {
        backend.close();
    }

    @Override
    protected BarrierStore store() {
        return backend.barrierStore();
    }

    @Override
    protected Connection connect() throws SQLException {
        return place.connect();
    }
}
