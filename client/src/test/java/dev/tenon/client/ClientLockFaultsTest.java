package dev.tenon.client;

import dev.tenon.testkit.faults.LockFaultsContract;
import dev.tenon.testkit.faults.LockStoreFixture;
import org.junit.jupiter.api.Tag;

@Tag("soak")
class ClientLockFaultsTest extends LockFaultsContract {
    @Override
    protected LockStoreFixture fixture() {
        return new ClientFixture();
    }
}
