package dev.tenon.raft;

import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClusterTransactionStoreTest extends TransactionStoreContract {
    @RegisterExtension
    static final ThreeNodes NODES = new ThreeNodes();

    @Override
    protected TransactionStore store() {
        return NODES.follower().transactions();
    }

    @Override
    protected TransactionStore otherStore() {
        return NODES.leader().transactions();
    }
}
