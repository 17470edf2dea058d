package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.LockStoreContract;
import org.junit.jupiter.api.AfterEach;

class RegisterLockStoreTest extends LockStoreContract {
    private final MemoryRegisters registers = new MemoryRegisters(true);
    private final LockStore here = process();
    private final LockStore there = process();

    private LockStore process() {
        return RegisterLockStore.over(
                registers.process(), TimeSource.system(), RegisterLockStore.PRESENCE, "registers", 8);
    }

    @Override
    protected LockStore store() {
        return here;
    }

    @Override
    protected LockStore otherStore() {
        return there;
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }
}
