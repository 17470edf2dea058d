package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageDirectory;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SnapshotStorageTest {
    @TempDir
    private Path folder;

    private final SnapshotStorage storage = new SnapshotStorage();

    @BeforeEach
    void open() throws Exception {
        RaftStorageDirectory directory = only(RaftStorageDirectory.class, folder);
        storage.init(only(RaftStorage.class, directory));
    }

    @Test
    void theFolderIsLookedAtOnceEvenIfItIsEmpty() throws Exception {
        assertThat(storage.getLatestSnapshot()).isNull();

        Files.createFile(folder.resolve(SnapshotStorage.getSnapshotFileName(1, 7)));

        assertThat(storage.getLatestSnapshot()).isNull();
    }

    @Test
    void oneThatWasSentByALeaderIsFoundWhenItIsLoaded() throws Exception {
        Files.createFile(folder.resolve(SnapshotStorage.getSnapshotFileName(1, 7)));

        assertThat(storage.loadLatestSnapshot()).isNotNull();
        assertThat(storage.getLatestSnapshot().getIndex()).isEqualTo(7);
    }

    @Test
    void oneThatWasTakenIsTheLatest() {
        Path file = folder.resolve(SnapshotStorage.getSnapshotFileName(2, 9));

        storage.updateLatestSnapshot(
                new SingleFileSnapshotInfo(new FileInfo(file, MD5Hash.newInstance(new byte[16])), 2, 9));

        assertThat(storage.getLatestSnapshot().getIndex()).isEqualTo(9);
    }

    /** Answers every question with {@code answer}, or with its file. */
    private static <T> T only(Class<T> type, Object answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) ->
                        method.getReturnType().equals(java.io.File.class) ? ((Path) answer).toFile() : answer));
    }
}
