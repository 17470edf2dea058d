package dev.tenon.raft;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.DefinitionStoreContract;
import dev.tenon.testkit.DistributedLockContract;
import dev.tenon.testkit.MultiLockStoreContract;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The contracts that have no class of their own for three nodes: one process goes through a follower, the other through
 * the leader.
 */
class ClusterContractsTest {
    @RegisterExtension
    static final ThreeNodes NODES = new ThreeNodes();

    @Nested
    class Locks extends DistributedLockContract {
        @Override
        protected LockStore store() {
            return NODES.follower().lockStore();
        }

        @Override
        protected LockStore otherStore() {
            return NODES.leader().lockStore();
        }
    }

    @Nested
    class SeveralLocks extends MultiLockStoreContract {
        @Override
        protected MultiLockStore store() {
            return NODES.follower().lockStore();
        }
    }

    @Nested
    class WorkerIds extends WorkerIdSourceContract {
        @Override
        protected WorkerIdSource source(String group) {
            return NODES.follower().workerIds(group);
        }

        @Override
        protected WorkerIdSource otherSource(String group) {
            return NODES.leader().workerIds(group);
        }
    }

    @Nested
    class Definitions extends DefinitionStoreContract {
        @Override
        protected DefinitionStore store() {
            return NODES.follower().definitions();
        }

        @Override
        protected DefinitionStore otherStore() {
            return NODES.leader().definitions();
        }
    }
}
