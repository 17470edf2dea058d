package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.MultiLockStore;
import dev.tenon.testkit.MultiLockStoreContract;
import org.junit.jupiter.api.AfterEach;

class RegisterMultiLockStoreTest extends MultiLockStoreContract {
    private final MemoryRegisters registers = new MemoryRegisters(true);
    private final MultiLockStore here = RegisterLockStore.over(
            registers.process(), TimeSource.system(), RegisterLockStore.PRESENCE, "registers", 8);

    @Override
    protected MultiLockStore store() {
        return here;
    }

    @AfterEach
    void close() {
        here.close();
    }
}
