package dev.tenon.raft;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;

/**
 * A data folder that begins with a snapshot: one that the engine made itself, whose log was taken out. It is written beside
 * its place and moved there when it is whole.
 */
final class RestoredFolder {
    /** The fresh engine has elected itself once. */
    private static final long TERM = 1;

    /** What the engine remembers of who is in the group. */
    private static final String MEMBERS = "raft-meta.conf";

    private RestoredFolder() {}

    /** Whether the folder was restored, and no engine has worked with it since. */
    static boolean isFresh(DataFolder folder) {
        Path group =
                folder.raft().resolve(folder.version().group().orElseThrow().toString());
        return Files.notExists(group.resolve("current").resolve(MEMBERS)) && Files.exists(group.resolve("sm"));
    }

    static void write(Path folder, long index, byte[] snapshot) {
        Path place = folder.toAbsolutePath().normalize();
        Path draft = place.resolveSibling(place.getFileName() + ".restoring");
        try {
            requireFree(place);
            delete(draft);
            RaftBackend.open(draft, RaftOptions.DEFAULT).close();
            Path raft = only(draft.resolve("raft"));
            // Who is in the group it says when it is started, alone or with an address for others.
            Files.deleteIfExists(raft.resolve("current").resolve(MEMBERS));
            for (Path file : list(raft.resolve("current"), "log_*")) {
                Files.delete(file);
            }
            Path machine = Files.createDirectories(raft.resolve("sm"));
            // The log goes on behind the snapshot; a fresh engine has written a few entries, which it must be above.
            String name = SimpleStateMachineStorage.getSnapshotFileName(TERM, Math.max(index, 100));
            Path file = Files.write(machine.resolve(name), snapshot, StandardOpenOption.CREATE_NEW);
            MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
            sync(draft);
            Files.deleteIfExists(place);
            Files.move(draft, place, StandardCopyOption.ATOMIC_MOVE);
            DataFolder.sync(parent(place));
        } catch (IOException e) {
            throw new DataFolderException("Folder " + folder + " can't be written (" + e + "): use another one", e);
        }
    }

    private static void requireFree(Path place) throws IOException {
        if (Files.exists(place)
                && (!Files.isDirectory(place) || !list(place, "*").isEmpty())) {
            throw new DataFolderException(place + " is not empty: restore into a new folder, or move that one away");
        }
        Files.createDirectories(parent(place));
    }

    private static Path parent(Path place) {
        Path parent = place.getParent();
        if (parent == null) {
            throw new DataFolderException(place + " can't be a data folder: use another one");
        }
        return parent;
    }

    private static Path only(Path folder) throws IOException {
        List<Path> inside = list(folder, "*");
        if (inside.size() != 1) {
            throw new IOException(folder + " should have one folder in it, not " + inside);
        }
        return inside.get(0);
    }

    private static List<Path> list(Path folder, String glob) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, glob)) {
            return Stream.iterate(files.iterator(), i -> i.hasNext(), i -> i)
                    .map(i -> i.next())
                    .toList();
        }
    }

    private static void sync(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                DataFolder.sync(path);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
