package dev.tenon.raft;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.util.MD5FileUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A data folder that begins with a snapshot: one that the engine made itself, whose log was taken out. It is written
 * under a name that nothing had before, and gets its own when it is whole. Nothing is deleted but what this has made.
 */
final class RestoredFolder {
    /** The fresh engine has elected itself once. */
    private static final long TERM = 1;

    /** What the engine remembers of who is in the group. */
    private static final String MEMBERS = "raft-meta.conf";

    private static final Logger LOG = LoggerFactory.getLogger(RestoredFolder.class);
    private static final String RAFT = "raft";
    private static final String VERSION = "VERSION";

    private RestoredFolder() {}

    /** Whether the folder was restored, and no engine has worked with it since. */
    static boolean isFresh(DataFolder folder) {
        Path group =
                folder.raft().resolve(folder.version().group().orElseThrow().toString());
        return Files.notExists(group.resolve("current").resolve(MEMBERS)) && Files.exists(group.resolve("sm"));
    }

    /**
     * Writes it, or nothing.
     *
     * @param folder must not exist, or be empty; a link to such a folder stays a link
     * @param finish is given one that is the same, for what is to be done before it is there
     */
    static void write(Path folder, long index, byte[] snapshot, Optional<Consumer<Path>> finish) {
        boolean made = false;
        try {
            Path place = requireFree(folder.toAbsolutePath().normalize());
            made = Files.notExists(place);
            PrivateFiles.createFolder(place);
            // In the folder itself, which may be a volume: without its VERSION it is taken for no data folder, so that
            // comes last.
            Path work = PrivateFiles.createFolderIn(place, ".restoring-");
            try {
                Path draft = work.resolve("draft");
                fill(draft, index, snapshot);
                if (finish.isPresent()) {
                    finish.get().accept(draft);
                    // Now it has a log, of a node that is alone for good. Begun with what that made of it, it may be
                    // one of several.
                    RaftBackup finished = backupOf(draft);
                    draft = work.resolve("finished");
                    fill(draft, finished.index(), finished.snapshot());
                }
                sync(draft);
                publish(draft, place);
            } finally {
                PrivateFiles.delete(work);
            }
            DataFolder.sync(parent(place));
        } catch (IOException e) {
            removeEmpty(folder, made);
            throw new DataFolderException("Folder " + folder + " can't be written (" + e + "): use another one", e);
        } catch (RuntimeException e) {
            removeEmpty(folder, made);
            throw e;
        }
    }

    private static void fill(Path draft, long index, byte[] snapshot) throws IOException {
        RaftBackend.open(draft, RaftOptions.DEFAULT).close();
        Path raft = only(draft.resolve("raft"));
        // Who is in the group it says when it is started, alone or with an address for others.
        Files.deleteIfExists(raft.resolve("current").resolve(MEMBERS));
        for (Path file : list(raft.resolve("current"), "log_*")) {
            Files.delete(file);
        }
        Path machine = raft.resolve("sm");
        PrivateFiles.createFolder(machine);
        // The log goes on behind the snapshot; a fresh engine has written a few entries, which it must be above.
        String name = SimpleStateMachineStorage.getSnapshotFileName(TERM, Math.max(index, 100));
        Path file = Files.createFile(machine.resolve(name), PrivateFiles.file(machine));
        Files.write(file, snapshot);
        MD5FileUtil.computeAndSaveMd5ForFile(file.toFile());
    }

    private static RaftBackup backupOf(Path draft) {
        try (RaftBackend node = RaftBackend.open(draft, RaftOptions.DEFAULT)) {
            return RaftBackup.decode(node.backup().join());
        }
    }

    private static void publish(Path draft, Path place) throws IOException {
        Files.move(draft.resolve(RAFT), place.resolve(RAFT), StandardCopyOption.ATOMIC_MOVE);
        DataFolder.sync(place);
        Files.move(draft.resolve(VERSION), place.resolve(VERSION), StandardCopyOption.ATOMIC_MOVE);
        DataFolder.sync(place);
    }

    /** Where it goes; a link leads there. */
    private static Path requireFree(Path folder) throws IOException {
        parent(folder);
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            return folder;
        }
        if (!Files.isDirectory(folder) || !list(folder, "*").isEmpty()) {
            throw new DataFolderException(folder + " is not empty: restore into a new folder, or move that one away");
        }
        return folder.toRealPath();
    }

    private static void removeEmpty(Path folder, boolean made) {
        try {
            if (made) {
                Files.deleteIfExists(folder);
            }
        } catch (IOException e) {
            LOG.debug("{} stays", folder, e);
        }
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
}
