package dev.tenon.jdbc;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class MySqlWorkerIdSourceTest extends WorkerIdSourceContract {
    private static TwoBackends backends;

    @BeforeAll
    static void connect() {
        backends = TwoBackends.onMySql();
    }

    @AfterAll
    static void disconnect() {
        backends.close();
    }

    @Override
    protected WorkerIdSource source(String group) {
        return backends.one().workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return backends.other().workerIds(group);
    }
}
