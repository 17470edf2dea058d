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
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one node, claimed for this process:
 *
 * <pre>
 * VERSION   format of the folder, identity of the node, and ID of its group
 * LOCK      locked by the process that uses the folder, whose ID is in it
 * raft/     log and snapshots
 * </pre>
 */
final class DataFolder implements AutoCloseable {
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
        FileChannel lockChannel = null;
        try {
            Files.createDirectories(path);
            lockChannel = lock(path);
            FolderVersion version = readVersion(path).orElse(null);
            if (version == null) {
                version = first.get();
                requireEmpty(path);
                write(path, version);
            }
            Files.createDirectories(path.resolve("raft"));
            return new DataFolder(path, version, lockChannel);
        } catch (IOException e) {
            closeQuietly(lockChannel);
            throw unusable(path, e);
        } catch (DataFolderException e) {
            closeQuietly(lockChannel);
            throw e;
        }
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
        closeQuietly(lockChannel);
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
                file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
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

    private static Optional<FolderVersion> readVersion(Path path) throws IOException {
        Path file = path.resolve(VERSION_FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            return Optional.of(FolderVersion.parse(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
                    .orElseThrow(() -> new DataFolderException(
                            file + " is damaged: restore it from a backup, or use another folder")));
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
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
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
