package dev.tenon.raft;

import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftMultiLockStoreTest extends MultiLockStoreContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected MultiLockStore store() {
        return NODE.backend().lockStore();
    }
}
