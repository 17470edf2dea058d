package dev.tenon.jdbc;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.testkit.BuilderConfigStoreContract;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class H2BuilderConfigStoreTest extends BuilderConfigStoreContract {
    private static TwoBackends backends;
    private static BuilderTable table;

    @BeforeAll
    static void connect() throws SQLException {
        String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        backends = TwoBackends.onH2(url);
        table = new BuilderTable(DriverManager.getConnection(url));
        backends.one().createIdBuilderTable();
    }

    @AfterAll
    static void disconnect() throws SQLException {
        backends.close();
        table.close();
    }

    @Override
    protected BuilderConfigStore store() {
        return backends.one().builderConfigs();
    }

    @Override
    protected BuilderConfigStore otherStore() {
        return backends.other().builderConfigs();
    }

    @Override
    protected void put(Row row) {
        table.put(row);
    }
}
