package dev.tenon.memory;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;

class MemoryDefinitionStoreTest extends DefinitionStoreContract {
    private final DefinitionStore store = new MemoryDefinitionStore();

    @Override
    protected DefinitionStore store() {
        return store;
    }
}
