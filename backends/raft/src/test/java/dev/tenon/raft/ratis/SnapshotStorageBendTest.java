package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.junit.jupiter.api.Test;

class SnapshotStorageBendTest extends FollowerBends {
    @Test
    void ratisLooksIntoTheFolderEachTimeAsLongAsThereIsNone() throws Exception {
        open(Engine.STOCK);
        SimpleStateMachineStorage storage = new SimpleStateMachineStorage();
        storage.init(engine.machine().storage());
        assertThat(storage.getLatestSnapshot()).isNull();

        Files.createFile(engine.machine()
                .storage()
                .getStorageDir()
                .getStateMachineDir()
                .toPath()
                .resolve(SimpleStateMachineStorage.getSnapshotFileName(1, 7)));

        assertThat(storage.getLatestSnapshot()).isNotNull();
    }

    @Test
    void ratisAsksForTheLatestForEachMessage() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        StateMachineStorage counting = new SimpleStateMachineStorage() {
            @Override
            public SingleFileSnapshotInfo getLatestSnapshot() {
                asked.incrementAndGet();
                return super.getLatestSnapshot();
            }
        };
        open(Engine.STOCK);
        engine.machine().keepIn(counting);

        int before = asked.get();
        for (int i = 0; i < 10; i++) {
            get(leader.entry(i));
        }

        assertThat(asked.get() - before).isGreaterThanOrEqualTo(10);
    }
}
