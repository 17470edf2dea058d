package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real folders, edited as crashes and bad disks would. */
class LogDamageTest {
    private static final int WRITES = 20;

    @TempDir
    Path folder;

    @Test
    void garbageAfterTheLastEntryIsCutOff() throws IOException {
        write();
        Path open = file("log_inprogress_.*");
        byte[] good = Files.readAllBytes(open);
        byte[] garbage = new byte[5000];
        new Random(7).nextBytes(garbage);
        Files.write(open, concat(good, garbage));
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void aHalfWrittenEntryIsCutOffWhereverItWasTorn() throws IOException {
        write();
        Path open = file("log_inprogress_.*");
        byte[] good = Files.readAllBytes(open);
        int lastEntry = LogSegmentScanTest.startOfLastEntry(good, open);
        for (int length : new int[] {1, 2, 9, (good.length - lastEntry) / 2, good.length - lastEntry - 1}) {
            byte[] torn = Arrays.copyOf(Arrays.copyOf(good, lastEntry + length), good.length + 4096); // then zeros
            Files.write(open, torn);
            LogCheck.run(group(), OptionalLong.empty(), DataFolder.mend(Optional.empty()));
            assertThat(open).as("torn after %s bytes", length).hasSize(lastEntry);
        }
        refused(open.getParent(), "entries"); // here the answer was given, of course
        Files.delete(folder.resolve("REACHED"));
        assertThat(lastAfterReopen()).isEqualTo(WRITES - 1);
    }

    @Test
    void aLogThatWasCutInHalfIsRefused() throws IOException {
        write();
        Path open = file("log_inprogress_.*");
        byte[] good = Files.readAllBytes(open);
        byte[] half = Arrays.copyOf(good, LogSegmentScanTest.startOfLastEntry(good, open) / 2);
        Files.write(open, half);
        refused(open, "is cut off");
        assertThat(open).hasBinaryContent(half);
        Files.write(open, good);
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void votesThatCantBeReadAreRefused() throws IOException {
        write();
        Path votes = file("raft-meta");
        byte[] good = Files.readAllBytes(votes);
        for (String bad : new String[] {"", "term=3\n", "votedFor=n1\n", "term=many\nvotedFor=n1\n"}) {
            Files.writeString(votes, bad);
            refused(votes, bad.isEmpty() ? "it is empty" : "it does not say for whom this node has voted");
        }
        Files.write(votes, good);
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void aSegmentWhoseHeaderWasHalfWrittenIsCutOff() throws IOException {
        write();
        Path open = file("log_inprogress_.*");
        Files.move(open, open.resolveSibling("log_0-" + (LogSegmentScanTest.nextIndex(open) - 1)));
        Files.writeString(open.resolveSibling("log_inprogress_" + (WRITES + 1)), "Raft");
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void aBadEntryWithGoodOnesAfterItIsRefusedAndNothingIsChanged() throws IOException {
        write();
        Path open = file("log_inprogress_.*");
        byte[] good = Files.readAllBytes(open);
        for (int at : new int[] {3, 10, good.length / 2, good.length * 2 / 3}) {
            byte[] bad = good.clone();
            bad[at] ^= 0x10;
            Files.write(open, bad);
            refused(open, "");
            assertThat(open).hasBinaryContent(bad);
        }
        Files.write(open, good);
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void everyBitOfAClosedSegmentCounts() throws IOException {
        write();
        lastAfterReopen();
        Path closed = file("log_0-.*");
        byte[] good = Files.readAllBytes(closed);
        for (int at = 0; at < good.length; at += 7) {
            byte[] bad = good.clone();
            bad[at] ^= 1;
            Files.write(closed, bad);
            refused(closed, "");
        }
        Files.write(closed, Arrays.copyOf(good, good.length - 1));
        refused(closed, "");
        Files.write(closed, concat(good, new byte[] {1}));
        refused(closed, "");
        Files.write(closed, good);
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void aMissingFileIsRefused() throws IOException {
        write();
        lastAfterReopen();
        lastAfterReopen();
        for (String name : List.of("log_0-.*", "log_[1-9]\\d*-.*", "raft-meta")) {
            Path file = file(name);
            Path hidden = folder.resolve("hidden");
            Files.move(file, hidden);
            assertThatThrownBy(() -> RaftBackend.open(folder, RaftOptions.DEFAULT))
                    .as("without %s", name)
                    .isInstanceOf(DataFolderException.class)
                    .hasMessageContaining("missing");
            Files.move(hidden, file);
        }
        assertThat(lastAfterReopen()).isEqualTo(WRITES);
    }

    @Test
    void aFolderWithoutAnyLogFileIsRefused() throws IOException {
        write();
        Files.delete(file("log_inprogress_.*"));
        refused(group().resolve("current"), "its log files are missing");
    }

    @Test
    void aDamagedSnapshotIsRefused() throws IOException {
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT.withSnapshotLogBytes(500))) {
            for (int i = 0; i < 200; i++) {
                backend.ranges().next("r", 1);
            }
        }
        Path snapshot = newestSnapshot();
        byte[] good = Files.readAllBytes(snapshot);
        byte[] bad = good.clone();
        bad[good.length / 2] ^= 1;
        Files.write(snapshot, bad);
        refused(snapshot, "its checksum is wrong");
        Files.write(snapshot, good);
        assertThat(lastAfterReopen()).isEqualTo(200);
    }

    @Test
    void anInterruptedPurgeIsFinished() throws IOException {
        write();
        lastAfterReopen();
        Path first = file("log_0-.*");
        byte[] old = Files.readAllBytes(first);
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT.withSnapshotLogBytes(500))) {
            for (int i = 0; i < 200; i++) {
                backend.ranges().next("r", 1);
            }
        }
        assertThat(first).doesNotExist();
        Files.write(first, old);
        assertThat(lastAfterReopen()).isEqualTo(WRITES + 200);
        assertThat(first).doesNotExist();
    }

    private void write() {
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT)) {
            for (int i = 0; i < WRITES; i++) {
                backend.ranges().next("r", 1);
            }
        }
    }

    private long lastAfterReopen() {
        try (RaftBackend backend = RaftBackend.open(folder, RaftOptions.DEFAULT)) {
            return backend.ranges().raiseTo("r", 0) - 1;
        }
    }

    private void refused(Path file, String reason) {
        assertThatThrownBy(() -> RaftBackend.open(folder, RaftOptions.DEFAULT))
                .isInstanceOf(DataFolderException.class)
                .hasMessageStartingWith(file + " is damaged: ")
                .hasMessageContaining(reason)
                .hasMessageContaining("Restore the data folder from a backup")
                .extracting(Throwable::getMessage)
                .asString()
                .doesNotContain("\n");
    }

    private Path group() throws IOException {
        try (Stream<Path> groups = Files.list(folder.resolve("raft"))) {
            return groups.findFirst().orElseThrow();
        }
    }

    private Path file(String name) throws IOException {
        try (Stream<Path> files = Files.list(group().resolve("current"))) {
            return files.filter(f -> f.getFileName().toString().matches(name))
                    .sorted()
                    .findFirst()
                    .orElseThrow();
        }
    }

    private Path newestSnapshot() throws IOException {
        try (Stream<Path> files = Files.list(group().resolve("sm"))) {
            return files.filter(f -> f.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
                    .max((a, b) -> Long.compare(index(a), index(b)))
                    .orElseThrow();
        }
    }

    private static long index(Path snapshot) {
        String name = snapshot.getFileName().toString();
        return Long.parseLong(name.substring(name.indexOf('_') + 1));
    }

    private static byte[] concat(byte[] a, byte[] b) {
        byte[] both = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, both, a.length, b.length);
        return both;
    }
}
