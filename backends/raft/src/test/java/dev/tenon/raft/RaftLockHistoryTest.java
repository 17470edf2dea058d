package dev.tenon.raft;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.faults.LockHistoryContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftLockHistoryTest extends LockHistoryContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected LockStore store() {
        return NODE.backend().lockStore();
    }
}
