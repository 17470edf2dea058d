package dev.tenon.raft;

import dev.tenon.id.spi.RangeTable;
import dev.tenon.id.spi.WorkerTable;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.CRC32C;

/**
 * The binary form of a whole state: a mark, a version, the tables in a fixed order, and a CRC-32C of all that. Equal
 * states have equal snapshots.
 */
final class SnapshotCodec {
    private static final byte[] MARK = "TENONSNP".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 1;
    private static final int CHECKSUM_BYTES = 4;

    private SnapshotCodec() {}

    static byte[] encode(ReplicaState state) {
        BinaryWriter out = new BinaryWriter();
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
        int checksum = checksum(out.toByteArray(), out.size());
        for (int shift = 24; shift >= 0; shift -= 8) {
            out.writeByte(checksum >>> shift);
        }
        return out.toByteArray();
    }

    /**
     * Reads what {@link #encode} wrote.
     *
     * @throws IllegalStateException if it is damaged or of another version; the message says which
     */
    static ReplicaState decode(byte[] bytes) {
        requireIntact(bytes);
        ByteBuffer body = ByteBuffer.wrap(bytes, MARK.length, bytes.length - MARK.length - CHECKSUM_BYTES);
        BinaryReader in = new BinaryReader(body);
        int version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("it has version " + version + ", and this Tenon reads version " + VERSION);
        }
        Instant now = in.readInstant();
        LockTable locks = new LockTable(readLocks(in));
        List<RangeTable.Entry> ranges = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            ranges.add(new RangeTable.Entry(in.readString(), IdCommandCodec.readDefinition(in), in.readLong()));
        }
        List<WorkerTable.Group> groups = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            groups.add(readGroup(in));
        }
        TreeMap<String, String> definitions = new TreeMap<>();
        for (int left = in.readSize(); left > 0; left--) {
            definitions.put(in.readString(), in.readString());
        }
        in.requireEnd();
        return new ReplicaState(
                new ReplicaState.Tables(now, locks, RangeTable.of(ranges), WorkerTable.of(groups), definitions));
    }

    /** Throws an {@link IllegalStateException} unless mark and checksum are right. */
    static void requireIntact(byte[] bytes) {
        int end = bytes.length - CHECKSUM_BYTES;
        if (end <= MARK.length || !Arrays.equals(bytes, 0, MARK.length, MARK, 0, MARK.length)) {
            throw new IllegalStateException("it does not begin as a snapshot does");
        }
        if (ByteBuffer.wrap(bytes).getInt(end) != checksum(bytes, end)) {
            throw new IllegalStateException("its checksum is wrong");
        }
    }

    private static int checksum(byte[] bytes, int size) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, 0, size);
        return (int) crc.getValue();
    }

    private static void writeLocks(LockTable.Snapshot locks, BinaryWriter out) {
        out.writeInstant(locks.now());
        out.writeLong(locks.token());
        out.writeCount(locks.sessions().size());
        for (LockTable.SessionEntry session : locks.sessions()) {
            LockCommandCodec.writeSession(session.spec(), out);
            out.writeInstant(session.deadline());
            out.writeCount(session.bound().size());
            new TreeMap<>(session.bound()).forEach((name, token) -> {
                out.writeString(name);
                out.writeLong(token);
            });
        }
        out.writeCount(locks.locks().size());
        locks.locks().forEach(lock -> writeLock(lock, out));
    }

    private static LockTable.Snapshot readLocks(BinaryReader in) {
        Instant now = in.readInstant();
        long token = in.readLong();
        List<LockTable.SessionEntry> sessions = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            var spec = LockCommandCodec.readSession(in);
            Instant deadline = in.readInstant();
            Map<String, Long> bound = new TreeMap<>();
            for (int more = in.readSize(); more > 0; more--) {
                bound.put(in.readString(), in.readLong());
            }
            sessions.add(new LockTable.SessionEntry(spec, deadline, bound));
        }
        List<LockState> locks = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            locks.add(readLock(in));
        }
        return new LockTable.Snapshot(now, token, sessions, locks);
    }

    private static void writeLock(LockState lock, BinaryWriter out) {
        out.writeString(lock.name());
        out.writeLong(lock.token());
        out.writeBoolean(lock.holder().isPresent());
        lock.holder().ifPresent(holder -> {
            out.writeString(holder.sessionId());
            out.writeString(holder.requestId());
            out.writeString(holder.owner());
            out.writeLong(holder.token());
            out.writeInstant(holder.since());
            out.writeInstant(holder.expiresAt());
        });
        out.writeCount(lock.queue().size());
        for (LockState.Waiter waiter : lock.queue()) {
            out.writeString(waiter.sessionId());
            out.writeString(waiter.requestId());
            out.writeString(waiter.owner());
            out.writeDuration(waiter.lease());
            out.writeInstant(waiter.since());
            out.writeInstant(waiter.deadline());
        }
    }

    private static LockState readLock(BinaryReader in) {
        String name = in.readString();
        long token = in.readLong();
        Optional<LockState.Holder> holder = Optional.empty();
        if (in.readBoolean()) {
            holder = Optional.of(new LockState.Holder(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readLong(),
                    in.readInstant(),
                    in.readInstant()));
        }
        List<LockState.Waiter> queue = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
            queue.add(new LockState.Waiter(
                    in.readString(),
                    in.readString(),
                    in.readString(),
                    in.readDuration(),
                    in.readInstant(),
                    in.readInstant()));
        }
        return new LockState(name, token, holder, queue);
    }

    private static void writeGroup(WorkerTable.Group group, BinaryWriter out) {
        out.writeString(group.name());
        out.writeString(group.layout());
        out.writeCount(group.capacity());
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

    private static WorkerTable.Group readGroup(BinaryReader in) {
        String name = in.readString();
        String layout = in.readString();
        int capacity = in.readSize();
        List<WorkerTable.Entry> entries = new ArrayList<>();
        for (int left = in.readSize(); left > 0; left--) {
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
        return new WorkerTable.Group(name, layout, capacity, entries);
    }
}
