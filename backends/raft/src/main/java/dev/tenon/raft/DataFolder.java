package dev.tenon.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folder of one node, claimed for this process, and closed to everybody but its owner:
 *
 * <pre>
 * VERSION   format of the folder, identity of the node, and ID of its group
 * LOCK      locked by the process that uses the folder, whose ID is in it
 * REACHED   up to which entry the log was on the disk, at least
 * raft/     log and snapshots
 * </pre>
 */
final class DataFolder implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DataFolder.class);
    private static final String VERSION_FILE = "VERSION";
    private static final String LOCK_FILE = "LOCK";

    private final Path path;
    private final FileChannel lockChannel;
    private volatile FolderVersion version;

    private DataFolder(Path path, FolderVersion version, FileChannel lockChannel) {
        this.path = path;
        this.version = version;
        this.lockChannel = lockChannel;
    }

    /**
     * Claims a folder, creating what is missing.
     *
     * @param first what a new folder is
     * @throws DataFolderException if it can't be used
     */
    static DataFolder claim(Path path, Supplier<FolderVersion> first) {
        return claim(path, first, mend(Optional.empty()));
    }

    /** As {@link #claim(Path, Supplier)}, with what to do about damage. */
    static DataFolder claim(Path path, Supplier<FolderVersion> first, String mend) {
        FileChannel lockChannel = null;
        try {
            PrivateFiles.createFolder(path);
            lockChannel = lock(path);
            FolderVersion version = readVersion(path, mend).orElse(null);
            if (version == null) {
                version = first.get();
                requireEmpty(path);
                write(path, version);
            }
            close(path);
            PrivateFiles.createFolder(path.resolve("raft"));
            DataFolder folder = new DataFolder(path, version, lockChannel);
            folder.closeFiles();
            return folder;
        } catch (IOException e) {
            closeQuietly(lockChannel);
            throw unusable(path, e);
        } catch (DataFolderException e) {
            closeQuietly(lockChannel);
            throw e;
        }
    }

    /** What to do about damage: a node that is alone has nobody else who knows what was in it. */
    static String mend(Optional<RaftCluster> cluster) {
        return cluster.map(nodes -> "The other nodes have what was in it. " + anew(nodes.node()))
                .orElse("Restore the data folder from a backup, or start with an empty one");
    }

    /** How a node of a cluster gets a new folder. */
    static String anew(String node) {
        return "Start node " + node
                + " with an empty data folder, not with a backup, and then let it in again: tenon cluster add " + node
                + " HOST:PORT";
    }

    /** Where the engine keeps its files. */
    Path raft() {
        return path.resolve("raft");
    }

    /** Where the folder is. */
    Path path() {
        return path;
    }

    /** Which node it belongs to, and which group. */
    FolderVersion version() {
        return version;
    }

    /**
     * Makes the folder one of this node in this group, for good.
     *
     * @throws DataFolderException if it can't be written
     */
    void become(FolderVersion next) {
        try {
            write(path, next);
            version = next;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /** Lets other processes have the folder. */
    @Override
    public void close() {
        closeFiles();
        closeQuietly(lockChannel);
    }

    /**
     * Takes from everybody but the owner what he may do with the files in it. The engine makes its own as the umask
     * says; the folder around them is closed already.
     */
    void closeFiles() {
        try {
            PrivateFiles.closeAllIn(path);
        } catch (IOException e) {
            LOG.debug("Not all files of {} could be looked at", path, e);
        }
    }

    /**
     * One that is there may be of an earlier version, or somebody else's (a volume's root, say) and only open to this
     * process.
     */
    private static void close(Path path) {
        try {
            PrivateFiles.close(path)
                    .ifPresent(before -> LOG.warn(
                            "Others on this machine could get at the data folder {} ({}): now its owner alone can",
                            path,
                            before));
        } catch (IOException e) {
            LOG.warn(
                    "Others on this machine may see the names of files in the data folder {}, and it belongs to somebody else: make it this"
                            + " user's, or take their permissions away (chmod 0700). What is in it is closed to them",
                    path);
        }
    }

    /** Makes the entries of a folder (names of files in it) durable. */
    static void sync(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private static FileChannel lock(Path path) throws IOException {
        Path file = path.resolve(LOCK_FILE);
        FileChannel channel = FileChannel.open(
                file,
                Set.of(
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        LinkOption.NOFOLLOW_LINKS),
                PrivateFiles.file(file));
        FileLock lock;
        try {
            lock = channel.tryLock();
        } catch (OverlappingFileLockException e) {
            lock = null;
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        if (lock == null) {
            String holder = Files.readString(file).strip();
            channel.close();
            throw new DataFolderException("Data folder " + path + " is in use by "
                    + (holder.isEmpty() ? "another process" : "process " + holder)
                    + ": stop that one, or use another folder");
        }
        channel.truncate(0);
        channel.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII)));
        return channel;
    }

    private static Optional<FolderVersion> readVersion(Path path, String mend) throws IOException {
        Path file = path.resolve(VERSION_FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(FolderVersion.parse(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .orElseThrow(() -> new DataFolderException(file + " is damaged. Nothing was changed. " + mend)));
        } catch (FolderVersion.UnknownFormatException e) {
            throw new DataFolderException(
                    "Data folder " + path + " has " + e.getMessage()
                            + ": use the Tenon version that wrote it, or another folder",
                    e);
        }
    }

    private static void requireEmpty(Path path) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                if (!List.of(LOCK_FILE, VERSION_FILE + ".tmp").contains(String.valueOf(entry.getFileName()))) {
                    throw new DataFolderException("Folder " + path + " is not empty and has no " + VERSION_FILE
                            + " file, so it is no data folder of Tenon: use an empty or a new one");
                }
            }
        }
    }

    private static void write(Path path, FolderVersion version) throws IOException {
        Path temporary = path.resolve(VERSION_FILE + ".tmp");
        Files.deleteIfExists(temporary); // of a start that was interrupted
        try (FileChannel channel = FileChannel.open(
                temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PrivateFiles.file(temporary))) {
            channel.write(ByteBuffer.wrap(version.text().getBytes(StandardCharsets.US_ASCII)));
            channel.force(true);
        }
        Files.move(temporary, path.resolve(VERSION_FILE), StandardCopyOption.ATOMIC_MOVE);
        sync(path);
    }

    private static DataFolderException unusable(Path path, IOException e) {
        String reason = e.getMessage();
        if (e instanceof AccessDeniedException denied) {
            reason = "no permission to write " + denied.getFile();
        } else if (e instanceof FileSystemException failed) {
            reason = (failed.getReason() == null ? e.getClass().getSimpleName() : failed.getReason()) + " ("
                    + failed.getFile() + ")";
        }
        return new DataFolderException(
                "Data folder " + path + " can't be used: " + reason + "; make it writable, or use another folder", e);
    }

    private static void closeQuietly(@Nullable FileChannel channel) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            throw new IllegalStateException("A lock file could not be closed", e);
        }
    }
}
