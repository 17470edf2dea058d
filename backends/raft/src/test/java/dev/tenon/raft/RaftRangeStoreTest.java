package dev.tenon.raft;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftRangeStoreTest extends RangeStoreContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected RangeStore store() {
        return NODE.backend().ranges();
    }
}
