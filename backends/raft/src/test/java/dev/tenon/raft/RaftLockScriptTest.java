package dev.tenon.raft;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftLockScriptTest extends LockScriptContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected LockStore store() {
        return NODE.backend().lockStore();
    }
}
