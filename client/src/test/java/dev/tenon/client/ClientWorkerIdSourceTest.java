package dev.tenon.client;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.AfterAll;

class ClientWorkerIdSourceTest extends WorkerIdSourceContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected WorkerIdSource source(String group) {
        return HERE.workerIds(group);
    }

    @Override
    protected WorkerIdSource otherSource(String group) {
        return THERE.workerIds(group);
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
