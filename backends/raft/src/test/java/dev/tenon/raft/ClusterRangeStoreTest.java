package dev.tenon.raft;

import dev.tenon.id.spi.RangeStore;
import dev.tenon.testkit.RangeStoreContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClusterRangeStoreTest extends RangeStoreContract {
    @RegisterExtension
    static final ThreeNodes NODES = new ThreeNodes();

    @Override
    protected RangeStore store() {
        return NODES.follower().ranges();
    }

    /** Each call is an entry of its own on three disks. */
    @Override
    protected int callsPerThread() {
        return 20;
    }
}
