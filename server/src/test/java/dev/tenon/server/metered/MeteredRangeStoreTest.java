package dev.tenon.server.metered;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.AfterEach;

class MeteredRangeStoreTest extends RangeStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final RangeStore metered = new MeteredRangeStore(memory.ranges(), Timed.part("ranges"));

    @Override
    protected RangeStore store() {
        return metered;
    }

    @AfterEach
    void close() {
        memory.close();
    }
}
