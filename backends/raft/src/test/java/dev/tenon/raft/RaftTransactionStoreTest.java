package dev.tenon.raft;

import dev.tenon.testkit.TransactionStoreContract;
import dev.tenon.tx.spi.TransactionStore;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftTransactionStoreTest extends TransactionStoreContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected TransactionStore store() {
        return NODE.backend().transactions();
    }
}
