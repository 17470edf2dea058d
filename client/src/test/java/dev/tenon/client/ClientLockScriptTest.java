package dev.tenon.client;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.server.Node;
import dev.tenon.testkit.LockScriptContract;
import org.junit.jupiter.api.AfterAll;

/** Over memory: the machine is the same, and without the disk a step costs less. */
class ClientLockScriptTest extends LockScriptContract {
    private static final Node NODE = Clients.memoryNode();
    private static final TenonClient HERE = Clients.of(NODE);
    private static final TenonClient THERE = Clients.of(NODE);

    @Override
    protected LockStore store() {
        return HERE.lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return THERE.lockStore();
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
        NODE.close();
    }
}
