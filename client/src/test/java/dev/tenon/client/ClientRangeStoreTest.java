package dev.tenon.client;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.AfterAll;

class ClientRangeStoreTest extends RangeStoreContract {
    private static final TenonClient HERE = Clients.ofSharedServer();
    private static final TenonClient THERE = Clients.ofSharedServer();

    @Override
    protected RangeStore store() {
        return HERE.ranges();
    }

    @Override
    protected RangeStore otherStore() {
        return THERE.ranges();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
