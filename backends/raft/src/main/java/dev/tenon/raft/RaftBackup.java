package dev.tenon.raft;

import dev.tenon.TimeSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Everything that a node knew at one moment, in one piece: taken while it served, and good to begin a new data folder
 * with. The bytes: the mark {@code TENONBAK}, a version, the wall clock of the node, the index of the latest entry in
 * it, a snapshot as the engine keeps them, and the SHA-256 of all that.
 *
 * <p>Immutable, thread-safe.
 */
public final class RaftBackup {
    private static final byte[] MARK = "TENONBAK".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int DIGEST_BYTES = 32;

    private final Instant taken;
    private final long index;
    private final ReplicaState state;

    private RaftBackup(Instant taken, long index, ReplicaState state) {
        this.taken = taken;
        this.index = index;
        this.state = state;
    }

    /**
     * A number range as it was.
     *
     * @param last the last number that was given out; less than the first if none was
     */
    public record Sequence(String name, long last) {}

    /** The bytes of a backup of what {@code replica} knows now. */
    static byte[] of(Replica replica, TimeSource time) {
        return replica.look(state -> encode(time.now(), state.index(), SnapshotCodec.encode(state)));
    }

    private static byte[] encode(Instant taken, long index, byte[] snapshot) {
        BinaryWriter out = new BinaryWriter();
        out.writeBytes(MARK);
        out.writeByte(VERSION);
        out.writeInstant(taken);
        out.writeCount(index);
        out.writeCount(snapshot.length);
        out.writeBytes(snapshot);
        out.writeBytes(digest(out.toByteArray(), out.size()));
        return out.toByteArray();
    }

    /**
     * Reads a file that holds what {@link RaftBackend#backup} gave.
     *
     * @throws DataFolderException if it can't be read, is damaged or cut, or of another version; the message says which
     */
    public static RaftBackup read(Path file) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(file);
        } catch (IOException e) {
            throw new DataFolderException("Backup " + file + " can't be read (" + e + ")", e);
        }
        try {
            return decode(bytes);
        } catch (IllegalStateException e) {
            throw new DataFolderException(
                    "Backup " + file + " can't be used: " + e.getMessage() + "; use another backup", e);
        }
    }

    /** Reads what {@link #of} wrote. */
    static RaftBackup decode(byte[] bytes) {
        int end = bytes.length - DIGEST_BYTES;
        if (end <= MARK.length || !Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length)) {
            throw new IllegalStateException("it does not begin as a backup does");
        }
        if (!Arrays.equals(digest(bytes, end), Arrays.copyOfRange(bytes, end, bytes.length))) {
            throw new IllegalStateException("its checksum is wrong: it is damaged, or was cut");
        }
        BinaryReader in = new BinaryReader(ByteBuffer.wrap(bytes, MARK.length, end - MARK.length));
        int version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("it has version " + version + ", and this Tenon reads version " + VERSION);
        }
        Instant taken = in.readInstant();
        long index = in.readCount();
        int length = in.readSize();
        return new RaftBackup(taken, index, SnapshotCodec.decode(Arrays.copyOfRange(bytes, end - length, end)));
    }

    /** When it was taken, by the clock of the node that gave it. */
    public Instant taken() {
        return taken;
    }

    /** The index of the latest entry of the log in it. */
    public long index() {
        return index;
    }

    /** The state in it, as the engine keeps it. */
    byte[] snapshot() {
        return SnapshotCodec.encode(state);
    }

    /** The number ranges in it, in ascending order of names. */
    public List<Sequence> sequences() {
        return state.ranges().export().stream()
                .map(entry -> new Sequence(entry.name(), entry.last()))
                .toList();
    }

    /**
     * Makes a new data folder of it, for a node that is alone. Everything that this gives out from now on is above what
     * was given out before, as {@code docs/server/operations.md} says: fencing tokens and worker IDs by the time that
     * has passed since the backup, sequences by {@code skip}. Sessions, and the locks they held, are not restored.
     * Transactions that were undecided are suspended, as they may have been decided since.
     *
     * @param folder must not exist, or be empty
     * @param now the present, by the wall clock
     * @param skip how many numbers each sequence leaves out, 0 or more: more than it gave out since the backup
     * @throws DataFolderException if the folder is not empty or can't be written, or the backup was taken in the future
     */
    public void restore(Path folder, Instant now, long skip) {
        restore(folder, now, skip, Optional.empty());
    }

    /**
     * As {@link #restore(Path, Instant, long)}, with something to be done before the folder is there: if that fails,
     * there is none.
     *
     * @param finish is given a data folder for a while, which it may open, and must close; what it changes in there is
     *     restored as well
     */
    public void restore(Path folder, Instant now, long skip, Consumer<Path> finish) {
        restore(folder, now, skip, Optional.of(finish));
    }

    private void restore(Path folder, Instant now, long skip, Optional<Consumer<Path>> finish) {
        if (now.isBefore(taken)) {
            throw new DataFolderException("The backup was taken at " + taken + ", and this machine's clock says " + now
                    + ": set the clock right, since tokens are raised by the time that has passed");
        }
        RestoredFolder.write(folder, index, RestoredState.above(state, taken, now, skip), finish);
    }

    private static byte[] digest(byte[] bytes, int length) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(bytes, 0, length);
            return sha.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256", e);
        }
    }
}
