package dev.tenon.raft;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The binary form of a log entry: version, the leader's time in microseconds, who sent it, number of commands,
 * commands. The sender makes all but the first two, which the leader puts before it. An entry of another version stops
 * the replica that reads it: skipping it would let replicas drift apart. Version 2 had no sender; in version 1 a grant
 * took one token, so that to replay it by the rules of now would give others.
 */
final class EntryCodec {
    private static final int VERSION = 3;
    private static final int WITHOUT_SENDER = 2;

    private EntryCodec() {}

    /**
     * Who sent an entry, and which of his entries it is: sent again, it is known by that.
     *
     * @param process one of the whole cluster's processes, from its start to its end
     * @param sequence greater than that of every entry that this process sent before
     */
    record Sender(UUID process, long sequence) {}

    /**
     * What one entry says.
     *
     * @param time the leader's, in microseconds
     */
    record Entry(Instant time, Optional<Sender> sender, List<Command<?>> commands) {
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
        } else if (command instanceof TransactionCommand<?> transaction) {
            TransactionCommandCodec.write(transaction, out);
        }
        return out.toByteArray();
    }

    /** What a sender sends: commands that {@link #encodeCommand} made. */
    static byte[] encode(Sender sender, List<byte[]> commands) {
        BinaryWriter out = new BinaryWriter();
        out.writeLong(sender.process().getMostSignificantBits());
        out.writeLong(sender.process().getLeastSignificantBits());
        out.writeCount(sender.sequence());
        out.writeCount(commands.size());
        commands.forEach(out::writeBytes);
        return out.toByteArray();
    }

    /** What the leader puts before it. */
    static byte[] stamp(Instant time) {
        BinaryWriter out = new BinaryWriter();
        out.writeByte(VERSION);
        out.writeLong(ChronoUnit.MICROS.between(Instant.EPOCH, time));
        return out.toByteArray();
    }

    static Entry decode(ByteBuffer bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int version = in.readByte();
        if (version != VERSION && version != WITHOUT_SENDER) {
            throw new IllegalStateException("A log entry of version " + version + "; this Tenon reads versions "
                    + WITHOUT_SENDER + " and " + VERSION + ": use the Tenon version that wrote it");
        }
        Instant time = Instant.EPOCH.plus(in.readLong(), ChronoUnit.MICROS);
        Optional<Sender> sender = version == WITHOUT_SENDER
                ? Optional.empty()
                : Optional.of(new Sender(new UUID(in.readLong(), in.readLong()), in.readCount()));
        int size = in.readSize();
        List<Command<?>> commands = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            commands.add(readCommand(in));
        }
        in.requireEnd();
        return new Entry(time, sender, commands);
    }

    private static Command<?> readCommand(BinaryReader in) {
        int tag = in.readByte();
        if (tag <= LockCommandCodec.TAG_MAX) {
            return LockCommandCodec.read(tag, in);
        }
        return tag <= IdCommandCodec.TAG_MAX ? IdCommandCodec.read(tag, in) : TransactionCommandCodec.read(tag, in);
    }
}
