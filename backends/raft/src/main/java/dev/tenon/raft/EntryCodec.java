package dev.tenon.raft;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/**
 * The binary form of a log entry: version, the leader's time in microseconds, number of commands, commands. An entry of
 * another version stops the replica that reads it: skipping it would let replicas drift apart.
 */
final class EntryCodec {
    private static final int VERSION = 1;

    private EntryCodec() {}

    /**
     * What one entry says.
     *
     * @param time the leader's, in microseconds
     */
    record Entry(Instant time, List<Command<?>> commands) {
        Entry {
            commands = List.copyOf(commands);
        }
    }

    /** One command, ready to be put into an entry. */
    static byte[] encodeCommand(Command<?> command) {
        BinaryWriter out = new BinaryWriter();
        if (command instanceof LockCommand<?> lock) {
            LockCommandCodec.write(lock, out);
        } else if (command instanceof IdCommand<?> id) {
            IdCommandCodec.write(id, out);
        }
        return out.toByteArray();
    }

    /** An entry of commands that {@link #encodeCommand} made. */
    static byte[] encode(Instant time, List<byte[]> commands) {
        BinaryWriter out = new BinaryWriter();
        out.writeByte(VERSION);
        out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, time));
        out.writeCount(commands.size());
        commands.forEach(out::writeBytes);
        return out.toByteArray();
    }

    static Entry decode(ByteBuffer bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("A log entry of version " + version + "; this Tenon reads version "
                    + VERSION + ": use the Tenon version that wrote it");
        }
        Instant time = Instant.EPOCH.plus(in.readLong(), ChronoUnit.MICROS);
        int size = in.readSize();
        List<Command<?>> commands = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int tag = in.readByte();
            commands.add(
                    tag <= LockCommandCodec.TAG_MAX ? LockCommandCodec.read(tag, in) : IdCommandCodec.read(tag, in));
        }
        in.requireEnd();
        return new Entry(time, commands);
    }
}
