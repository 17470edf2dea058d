package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A worker ID in a file of this machine, locked against other processes for as long as this is open. It is replaced as
 * a whole, by renaming a new one that has reached the disk, so that a crash leaves the old or the new one. Not
 * thread-safe.
 */
final class WorkerFile implements AutoCloseable {
    private static final int SIZE_MAX = 4096;
    private static final Pattern TEXT = Pattern.compile(
            "(tenon-worker-id 1\nkind=(\\w+)\nworker=(\\d{1,9})\nlayout=([^\n]*)\nclaim=(\\d{1,18})\nowner=([^\n]*)\n"
                    + "since=([^\n]*)\nfence=([^\n]*)\n)crc32c=([0-9a-f]{8})\n");

    private final Path path;
    private final FileChannel lock;
    private final String lockName;

    /** What the number in a file is worth. */
    enum Kind {
        /** The file is what allots it, with its time fence. */
        KEPT,
        /** A store allots it; the file only says which one to ask for. */
        REMEMBERED
    }

    /**
     * What a file says.
     *
     * @param layout text form of the layout of the IDs
     * @param claim how often it was taken
     * @param owner the process that has it, or had it last
     * @param since when that one took it
     * @param fence up to where its timestamps may have been used
     */
    record Content(Kind kind, int workerId, String layout, long claim, String owner, Instant since, Instant fence) {}

    private WorkerFile(Path path, FileChannel lock, String lockName) {
        this.path = path;
        this.lock = lock;
        this.lockName = lockName;
    }

    /**
     * Locks a file, whether it exists or not.
     *
     * @throws WorkerIdTakenException if a process has it
     * @throws BackendUnavailableException if it can't be reached or locked
     */
    static WorkerFile open(Path file) {
        Path path;
        try {
            Path absolute = file.toAbsolutePath();
            Path folder = Objects.requireNonNull(absolute.getParent(), "a worker ID file lies in a folder");
            path = folder.toRealPath().resolve(Objects.requireNonNull(absolute.getFileName(), "file name"));
        } catch (IOException e) {
            throw new BackendUnavailableException(
                    "The folder of worker ID file " + file + " can't be read: create it", e);
        }
        // Closing any channel of a file gives up this process's locks on it. So a second attempt in this JVM, by
        // whatever class loader, must not open the file, and the system properties are what all of a JVM shares.
        String lockName = "dev.tenon.id.lock:" + path;
        if (System.getProperties().putIfAbsent(lockName, "held") != null) {
            throw taken(path, "this process");
        }
        FileChannel channel = null;
        try {
            channel = lock(path);
            return new WorkerFile(path, channel, lockName);
        } finally {
            if (channel == null) {
                System.clearProperty(lockName);
            }
        }
    }

    private static FileChannel lock(Path path) {
        Path file = path.resolveSibling(path.getFileName() + ".lock");
        try {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock got = channel.tryLock();
            if (got != null) {
                return channel;
            }
            channel.close();
        } catch (IOException e) {
            throw new BackendUnavailableException(
                    "Worker ID file " + path + " can't be locked: let this process write to its folder", e);
        }
        throw taken(path, "another process" + holder(path));
    }

    private static String holder(Path path) {
        try {
            return read(path)
                    .map(content -> " (" + content.owner() + " since " + content.since() + ")")
                    .orElse("");
        } catch (BackendUnavailableException | IllegalStateException e) {
            return ""; // its name is only for the message; the lock is what counts
        }
    }

    private static WorkerIdTakenException taken(Path path, String by) {
        return new WorkerIdTakenException("Worker ID file " + path + " is in use by " + by
                + ": stop that one, or give this generator a file and a worker ID of its own");
    }

    Path path() {
        return path;
    }

    /**
     * What the file says; empty if it does not exist.
     *
     * @throws IllegalStateException if it is damaged
     */
    Optional<Content> read() {
        return read(path);
    }

    private static Optional<Content> read(Path path) {
        if (Files.notExists(path)) {
            return Optional.empty();
        }
        try {
            if (Files.size(path) > SIZE_MAX) {
                throw damaged(path, "it is too long", null);
            }
            return Optional.of(parse(path, Files.readString(path, StandardCharsets.ISO_8859_1)));
        } catch (IOException e) {
            throw new BackendUnavailableException("Worker ID file " + path + " can't be read", e);
        }
    }

    private static Content parse(Path path, String bytes) {
        if (bytes.isEmpty()) {
            throw damaged(path, "it is empty", null);
        }
        Matcher matcher = TEXT.matcher(bytes);
        if (!matcher.matches()) {
            throw damaged(path, "it is not the text that Tenon writes", null);
        }
        if (!checksum(matcher.group(1).getBytes(StandardCharsets.ISO_8859_1)).equals(matcher.group(9))) {
            throw damaged(path, "its checksum is wrong", null);
        }
        try {
            return new Content(
                    Kind.valueOf(matcher.group(2).toUpperCase(Locale.ROOT)),
                    Integer.parseInt(matcher.group(3)),
                    utf8(matcher.group(4)),
                    Long.parseLong(matcher.group(5)),
                    utf8(matcher.group(6)),
                    Instant.parse(matcher.group(7)),
                    Instant.parse(matcher.group(8)));
        } catch (IllegalArgumentException | DateTimeException e) {
            throw damaged(path, "a field is not what it should be", e);
        }
    }

    private static IllegalStateException damaged(Path path, String how, @Nullable Exception cause) {
        return new IllegalStateException(
                "Worker ID file " + path + " is damaged: " + how
                        + ". Up to when its worker ID was used is not known any"
                        + " more: make sure that no process uses it, delete the file, and start with a worker ID that was"
                        + " not used before (or with the same one, once the clock is surely past its last use)",
                cause);
    }

    /**
     * Replaces what the file says; when this returns, it has reached the disk.
     *
     * @throws BackendUnavailableException if it could not; then the file says either the one or the other
     */
    void write(Content content) {
        String fields = "tenon-worker-id 1\nkind=" + content.kind().name().toLowerCase(Locale.ROOT) + "\nworker="
                + content.workerId() + "\nlayout=" + Names.requireValid("layout", content.layout()) + "\nclaim="
                + content.claim() + "\nowner=" + Names.requireValid("worker owner", content.owner()) + "\nsince="
                + content.since() + "\nfence=" + content.fence() + "\n";
        String text = fields + "crc32c=" + checksum(fields.getBytes(StandardCharsets.UTF_8)) + "\n";
        Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE)) {
                ByteBuffer rest = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                channel.force(true);
            }
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            try (FileChannel folder = FileChannel.open(path.getParent(), StandardOpenOption.READ)) {
                folder.force(true);
            }
        } catch (IOException e) {
            throw new BackendUnavailableException("Worker ID file " + path + " can't be written", e);
        }
    }

    /** Lets others have the file. Idempotent. */
    @Override
    public void close() {
        if (!lock.isOpen()) {
            return;
        }
        try {
            lock.close();
        } catch (IOException e) {
            throw new BackendUnavailableException("Worker ID file " + path + " can't be unlocked", e);
        } finally {
            System.clearProperty(lockName);
        }
    }

    private static String checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return String.format(Locale.ROOT, "%08x", crc.getValue());
    }

    private static String utf8(String bytes) {
        return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }
}
