package dev.tenon.raft;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftDefinitionStoreTest extends DefinitionStoreContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected DefinitionStore store() {
        return NODE.backend().definitions();
    }
}
