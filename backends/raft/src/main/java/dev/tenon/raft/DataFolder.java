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
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one node, claimed for this process:
 *
 * <pre>
 * VERSION   format of the folder and ID of the group, written once
 * LOCK      locked by the process that uses the folder, whose ID is in it
 * raft/     log and snapshots
 * </pre>
 */
final class DataFolder implements AutoCloseable {
    private static final int FORMAT = 1;
    private static final String VERSION_FILE = "VERSION";
    private static final String LOCK_FILE = "LOCK";
    private static final Pattern VERSION_TEXT =
            Pattern.compile("tenon-data (\\d{1,9})\\n(?:group ([0-9a-f-]{36})\\n)?");

    private final Path path;
    private final UUID group;
    private final FileChannel lockChannel;

    private DataFolder(Path path, UUID group, FileChannel lockChannel) {
        this.path = path;
        this.group = group;
        this.lockChannel = lockChannel;
    }

    /**
     * Claims a folder, creating what is missing.
     *
     * @throws DataFolderException if it can't be used
     */
    static DataFolder claim(Path path) {
        FileChannel lockChannel = null;
        try {
            Files.createDirectories(path);
            lockChannel = lock(path);
            UUID group = readVersion(path).orElse(null);
            if (group == null) {
                group = format(path);
            }
            Files.createDirectories(path.resolve("raft"));
            return new DataFolder(path, group, lockChannel);
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

    /** The identity of the replicated group that this node belongs to. */
    UUID group() {
        return group;
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

    private static Optional<UUID> readVersion(Path path) throws IOException {
        Path file = path.resolve(VERSION_FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Matcher text = VERSION_TEXT.matcher(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1));
        if (!text.matches()) {
            throw new DataFolderException(file + " is damaged: restore it from a backup, or use another folder");
        }
        int format = Integer.parseInt(text.group(1));
        if (format != FORMAT || text.group(2) == null) {
            throw new DataFolderException("Data folder " + path + " has format " + format
                    + ", and this Tenon reads format " + FORMAT
                    + ": use the Tenon version that wrote it, or another folder");
        }
        return Optional.of(UUID.fromString(text.group(2)));
    }

    private static UUID format(Path path) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path)) {
            for (Path entry : entries) {
                if (!List.of(LOCK_FILE, VERSION_FILE + ".tmp").contains(String.valueOf(entry.getFileName()))) {
                    throw new DataFolderException("Folder " + path + " is not empty and has no " + VERSION_FILE
                            + " file, so it is no data folder of Tenon: use an empty or a new one");
                }
            }
        }
        UUID group = UUID.randomUUID();
        Path temporary = path.resolve(VERSION_FILE + ".tmp");
        String text = "tenon-data " + FORMAT + "\ngroup " + group + "\n";
        try (FileChannel channel = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            channel.force(true);
        }
        Files.move(temporary, path.resolve(VERSION_FILE), StandardCopyOption.ATOMIC_MOVE);
        sync(path);
        return group;
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
