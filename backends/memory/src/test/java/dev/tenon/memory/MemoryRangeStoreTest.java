package dev.tenon.memory;

import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;

class MemoryRangeStoreTest extends RangeStoreContract {
    private final RangeStore store = new MemoryRangeStore(new RangeTable());

    @Override
    protected RangeStore store() {
        return store;
    }
}
