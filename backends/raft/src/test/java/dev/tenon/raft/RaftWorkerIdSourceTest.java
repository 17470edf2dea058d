package dev.tenon.raft;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.testkit.WorkerIdSourceContract;
import org.junit.jupiter.api.extension.RegisterExtension;

class RaftWorkerIdSourceTest extends WorkerIdSourceContract {
    @RegisterExtension
    static final RaftNode NODE = new RaftNode();

    @Override
    protected WorkerIdSource source(String group) {
        return NODE.backend().workerIds(group);
    }
}
