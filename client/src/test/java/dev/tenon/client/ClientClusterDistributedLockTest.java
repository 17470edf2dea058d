package dev.tenon.client;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.testkit.DistributedLockContract;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Against three servers, of which the leader is killed while the suite runs. */
@Tag("soak")
@LeaderDies(during = "threadsOfTwoProcessesNeverMeetInside")
class ClientClusterDistributedLockTest extends DistributedLockContract {
    @RegisterExtension
    static final LeaderKills KILLS = new LeaderKills();

    @Override
    protected LockStore store() {
        return KILLS.here().lockStore();
    }

    @Override
    protected LockStore otherStore() {
        return KILLS.there().lockStore();
    }
}
