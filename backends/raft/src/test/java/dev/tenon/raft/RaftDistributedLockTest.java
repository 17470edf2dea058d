package dev.tenon.raft;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.DistributedLockContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftDistributedLockTest extends DistributedLockContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected LockStore store() {
        return NODE.backend().lockStore();
    }
}
