package dev.tenon.raft;

import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockTable;
import dev.tenon.raft.EntryCodec.Sender;
import dev.tenon.tx.spi.TransactionTable;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import java.util.zip.CheckedOutputStream;

/**
 * The binary form of a whole state: a mark, a version, the tables in a fixed order, and a CRC-32C of all that. Equal
 * states have equal snapshots.
 */
final class SnapshotCodec {
    private static final byte[] MARK = "TENONSNP".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 6;
    /** The first version knew the exclusive mode alone. */
    private static final int EXCLUSIVE_ONLY = 1;

    /** The second did not know who sent an entry. */
    private static final int WITHOUT_SENDERS = 2;

    /** The third knew no transactions. */
    private static final int WITHOUT_TRANSACTIONS = 3;

    /** The fourth did not know which transactions are in trouble. */
    private static final int WITHOUT_TROUBLE = 4;

    /** The fifth did not know in which incarnation of the store worker IDs were claimed. */
    private static final int WITHOUT_INCARNATION = 5;

    private static final int CHECKSUM_BYTES = 4;

    /** What each takes in memory beside its bytes here, roughly. */
    private static final long SESSION_BYTES = 500;

    private static final long LOCK_BYTES = 250;
    private static final long HOLDER_BYTES = 400;
    private static final long RANGE_BYTES = 250;
    private static final long DEFINITION_BYTES = 200;

    private SnapshotCodec() {}

    static byte[] encode(ReplicaState state) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            encode(state, bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    /** Writes a snapshot as it goes: it is never in memory as a whole. */
    static void encode(ReplicaState state, OutputStream target) throws IOException {
        CheckedOutputStream checked = new CheckedOutputStream(target, new CRC32C());
        BinaryWriter out = new BinaryWriter(checked);
        try {
            write(state, out);
            out.flush();
            int checksum = (int) checked.getChecksum().getValue();
            for (int shift = 24; shift >= 0; shift -= 8) {
                out.writeByte(checksum >>> shift);
            }
            out.flush();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void write(ReplicaState state, BinaryWriter out) {
        out.writeBytes(MARK);
        out.writeByte(VERSION);
        out.writeInstant(state.now());
        writeLocks(state.locks().snapshot(), out);
        List<RangeTable.Entry> ranges = state.ranges().export();
        out.writeCount(ranges.size());
        for (RangeTable.Entry range : ranges) {
            out.writeString(range.name());
            IdCommandCodec.writeDefinition(range.definition(), out);
            out.writeLong(range.last());
        }
        List<WorkerTable.Group> groups = state.workers().export();
        out.writeCount(groups.size());
        groups.forEach(group -> writeGroup(group, out));
        out.writeCount(state.definitions().size());
        state.definitions().forEach((name, text) -> {
            out.writeString(name);
            out.writeString(text);
        });
        List<Sender> senders = state.senders().export();
        out.writeCount(senders.size());
        for (Sender sender : senders) {
            out.writeLong(sender.process().getMostSignificantBits());
            out.writeLong(sender.process().getLeastSignificantBits());
            out.writeCount(sender.sequence());
        }
        TransactionCodec.writeTable(state.transactions().snapshot(), out);
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalStateException if it is damaged or of another version; the message says which
     */
    static ReplicaState decode(byte[] bytes) {
        ByteBuffer snapshot = ByteBuffer.wrap(bytes);
        requireIntact(snapshot);
        return decode(snapshot, HeapCheck.NONE);
    }

    /**
     * Reads what {@link #encode} wrote, and {@link #requireIntact} has looked at.
     *
     * @throws IllegalStateException if it is of another version; the message says which
     * @throws DataFolderException if it does not fit the heap
     */
    static ReplicaState decode(ByteBuffer snapshot, HeapCheck heap) {
        int size = snapshot.remaining();
        BinaryReader in =
                new BinaryReader(snapshot.slice(MARK.length, size - MARK.length - CHECKSUM_BYTES), heap.of(size));
        int version = in.readByte();
        if (version < EXCLUSIVE_ONLY || version > VERSION) {
            throw new IllegalStateException(
                    "it has version " + version + ", and this Tenon reads versions 1 to " + VERSION);
        }
        Instant now = in.readInstant();
        LockTable locks = new LockTable(readLocks(in, version == EXCLUSIVE_ONLY));
        List<RangeTable.Entry> ranges = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(RANGE_BYTES);
            ranges.add(new RangeTable.Entry(in.readString(), IdCommandCodec.readDefinition(in), in.readLong()));
        }
        List<WorkerTable.Group> groups = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            groups.add(readGroup(in, version > WITHOUT_INCARNATION));
        }
        TreeMap<String, String> definitions = new TreeMap<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(DEFINITION_BYTES);
            definitions.put(in.readString(), in.readString());
        }
        List<Sender> senders = new ArrayList<>();
        for (int left = version > WITHOUT_SENDERS ? in.readSize() : 0; left > 0; left--) {
            senders.add(new Sender(new UUID(in.readLong(), in.readLong()), in.readCount()));
        }
        TransactionTable transactions = version > WITHOUT_TRANSACTIONS
                ? TransactionCodec.readTable(in, version > WITHOUT_TROUBLE)
                : new TransactionTable();
        in.requireEnd();
        return new ReplicaState(new ReplicaState.Tables(
                now,
                locks,
                RangeTable.of(ranges),
                WorkerTable.of(groups),
                definitions,
                Senders.of(senders),
                transactions));
    }

    /** Throws an {@link IllegalStateException} unless mark and checksum are right. */
    static void requireIntact(ByteBuffer snapshot) {
        int end = snapshot.limit() - CHECKSUM_BYTES;
        if (end <= MARK.length || !snapshot.slice(0, MARK.length).equals(ByteBuffer.wrap(MARK))) {
            throw new IllegalStateException("it does not begin as a snapshot does");
        }
        CRC32C crc = new CRC32C();
        crc.update(snapshot.slice(0, end));
        if (snapshot.getInt(end) != (int) crc.getValue()) {
            throw new IllegalStateException("its checksum is wrong");
        }
    }

    /** The bytes of a snapshot, which are no part of the heap. */
    static ByteBuffer map(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    private static void writeLocks(LockTable.Snapshot locks, BinaryWriter out) {
        out.writeInstant(locks.now());
        out.writeLong(locks.token());
        out.writeCount(locks.sessions().size());
        for (LockTable.SessionEntry session : locks.sessions()) {
            LockCommandCodec.writeSession(session.spec(), out);
            out.writeInstant(session.deadline());
            out.writeCount(session.bound().size());
            new TreeMap<>(session.bound()).forEach((token, name) -> {
                out.writeString(name);
                out.writeLong(token);
            });
        }
        out.writeCount(locks.locks().size());
        locks.locks().forEach(lock -> writeLock(lock, out));
    }

    private static LockTable.Snapshot readLocks(BinaryReader in, boolean exclusiveOnly) {
        Instant now = in.readInstant();
        long token = in.readLong();
        List<LockTable.SessionEntry> sessions = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(SESSION_BYTES);
            var spec = LockCommandCodec.readSession(in);
            Instant deadline = in.readInstant();
            Map<Long, String> bound = new TreeMap<>();
            for (int more = in.readSize(); more > 0; more--) {
                String name = in.readString();
                bound.put(in.readLong(), name);
            }
            sessions.add(new LockTable.SessionEntry(spec, deadline, bound));
        }
        List<LockState> locks = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(LOCK_BYTES);
            locks.add(exclusiveOnly ? readExclusiveLock(in) : readLock(in));
        }
        return new LockTable.Snapshot(now, token, sessions, locks);
    }

    private static void writeLock(LockState lock, BinaryWriter out) {
        out.writeString(lock.name());
        out.writeLong(lock.token());
        out.writeCount(lock.holders().size());
        for (LockState.Holder holder : lock.holders()) {
            out.writeString(holder.sessionId());
            out.writeString(holder.requestId());
            out.writeString(holder.owner());
            out.writeLong(holder.token());
            out.writeInstant(holder.since());
            out.writeInstant(holder.expiresAt());
            LockCommandCodec.writeMode(holder.mode(), out);
            out.writeDuration(holder.lockDelay());
            out.writeString(holder.revokedBy().orElse(""));
        }
        out.writeCount(lock.queue().size());
        for (LockState.Waiter waiter : lock.queue()) {
            out.writeString(waiter.sessionId());
            out.writeString(waiter.requestId());
            out.writeString(waiter.owner());
            out.writeDuration(waiter.lease());
            out.writeInstant(waiter.since());
            out.writeInstant(waiter.deadline());
            LockCommandCodec.writeTerms(waiter.terms(), out);
        }
        out.writeBoolean(lock.delayUntil().isPresent());
        lock.delayUntil().ifPresent(out::writeInstant);
    }

    private static LockState readLock(BinaryReader in) {
        String name = in.readString();
        long token = in.readLong();
        List<LockState.Holder> holders = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(HOLDER_BYTES);
            holders.add(new LockState.Holder(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readLong(),
                    in.readInstant(),
                    in.readInstant(),
                    LockCommandCodec.readMode(in),
                    in.readDuration(),
                    Optional.of(in.readString()).filter(by -> !by.isEmpty())));
        }
        List<LockState.Waiter> queue = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(HOLDER_BYTES);
            queue.add(new LockState.Waiter(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readDuration(),
                    in.readInstant(),
                    in.readInstant(),
                    LockCommandCodec.readTerms(in)));
        }
        return new LockState(
                name, token, holders, queue, in.readBoolean() ? Optional.of(in.readInstant()) : Optional.empty());
    }

    private static LockState readExclusiveLock(BinaryReader in) {
        String name = in.readString();
        long token = in.readLong();
        List<LockState.Holder> holders = new ArrayList<>();
        if (in.readBoolean()) {
            holders.add(new LockState.Holder(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readLong(),
                    in.readInstant(),
                    in.readInstant(),
                    LockMode.EXCLUSIVE,
                    Duration.ZERO,
                    Optional.empty()));
        }
        List<LockState.Waiter> queue = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            queue.add(new LockState.Waiter(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readDuration(),
                    in.readInstant(),
                    in.readInstant(),
                    Acquire.Terms.EXCLUSIVE));
        }
        return new LockState(name, token, holders, queue, Optional.empty());
    }

    private static void writeGroup(WorkerTable.Group group, BinaryWriter out) {
        out.writeString(group.name());
        out.writeString(group.layout());
        out.writeCount(group.capacity());
        out.writeString(group.settling().incarnation());
        out.writeInstant(group.settling().settledAt());
        out.writeDuration(group.settling().longestLease());
        out.writeCount(group.entries().size());
        for (WorkerTable.Entry entry : group.entries()) {
            out.writeCount(entry.workerId());
            out.writeLong(entry.claim());
            out.writeString(entry.requestId());
            out.writeString(entry.owner());
            out.writeInstant(entry.since());
            out.writeInstant(entry.leaseEnd());
            out.writeInstant(entry.floor());
            out.writeInstant(entry.fence());
        }
    }

    private static WorkerTable.Group readGroup(BinaryReader in, boolean withIncarnation) {
        String name = in.readString();
        String layout = in.readString();
        int capacity = in.readSize();
        WorkerTable.Settling settling = withIncarnation
                ? new WorkerTable.Settling(in.readString(), in.readInstant(), in.readDuration())
                : WorkerTable.Settling.NONE;
        List<WorkerTable.Entry> entries = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            in.record(HOLDER_BYTES);
            entries.add(new WorkerTable.Entry(
                    in.readSize(),
                    in.readLong(),
                    in.readString(),
                    in.readString(),
                    in.readInstant(),
                    in.readInstant(),
                    in.readInstant(),
                    in.readInstant()));
        }
        return new WorkerTable.Group(name, layout, capacity, settling, entries);
    }
}
