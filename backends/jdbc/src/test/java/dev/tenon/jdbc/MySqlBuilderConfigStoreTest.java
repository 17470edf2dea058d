package dev.tenon.jdbc;

import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.testkit.BuilderConfigStoreContract;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlBuilderConfigStoreTest extends BuilderConfigStoreContract {
    private static TwoBackends backends;
    private static BuilderTable table;

    @BeforeAll
    static void connect() throws SQLException {
        SqlAddress at = MySqlServer.shared();
        backends = TwoBackends.on(at);
        table = new BuilderTable(at.connect());
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
