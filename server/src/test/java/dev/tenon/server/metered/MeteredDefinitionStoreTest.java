package dev.tenon.server.metered;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.memory.MemoryBackend;
import dev.tenon.testkit.DefinitionStoreContract;
import org.junit.jupiter.api.AfterEach;

class MeteredDefinitionStoreTest extends DefinitionStoreContract {
    private final MemoryBackend memory = MemoryBackend.create();
    private final DefinitionStore metered = new MeteredDefinitionStore(memory.definitions(), Timed.part("definitions"));

    @Override
    protected DefinitionStore store() {
        return metered;
    }

    @AfterEach
    void close() {
        memory.close();
    }
}
