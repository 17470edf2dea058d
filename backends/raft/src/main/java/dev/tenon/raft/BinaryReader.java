package dev.tenon.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Reads what {@link BinaryWriter} wrote; anything else is an {@link IllegalStateException}. Not thread-safe. */
final class BinaryReader {
    private final ByteBuffer in;
    private final HeapCheck.Reading heap;

    BinaryReader(ByteBuffer in) {
        this(in, HeapCheck.NONE.of(in.remaining()));
    }

    /** @param heap into which the records go */
    BinaryReader(ByteBuffer in, HeapCheck.Reading heap) {
        this.in = in;
        this.heap = heap;
    }

    /** A record begins that takes {@code bytes} in memory beside its own. */
    void record(long bytes) {
        heap.read(bytes, in.position());
    }

    int readByte() {
        if (!in.hasRemaining()) {
            throw new IllegalStateException("Data ends at byte " + in.position());
        }
        return in.get() & 0xFF;
    }

    /** A number that is 0 or more, and small enough for an {@code int}. */
    int readSize() {
        long value = readUnsigned();
        if (value < 0 || value > Integer.MAX_VALUE) {
            throw new IllegalStateException("Not a size: " + value);
        }
        return (int) value;
    }

    /** A number that is 0 or more. */
    long readCount() {
        long value = readUnsigned();
        if (value < 0) {
            throw new IllegalStateException("Not a count: " + value);
        }
        return value;
    }

    long readLong() {
        long value = readUnsigned();
        return (value >>> 1) ^ -(value & 1);
    }

    boolean readBoolean() {
        return readByte() != 0;
    }

    String readString() {
        int length = readSize();
        if (length > in.remaining()) {
            throw new IllegalStateException("A string of " + length + " bytes, but " + in.remaining() + " are left");
        }
        byte[] text = new byte[length];
        in.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    Duration readDuration() {
        return Duration.ofSeconds(readLong(), readCount());
    }

    Optional<Duration> readOptionalDuration() {
        return readBoolean() ? Optional.of(readDuration()) : Optional.empty();
    }

    Instant readInstant() {
        return Instant.ofEpochSecond(readLong(), readCount());
    }

    Optional<Instant> readOptionalInstant() {
        return readBoolean() ? Optional.of(readInstant()) : Optional.empty();
    }

    Optional<String> readOptionalString() {
        return readBoolean() ? Optional.of(readString()) : Optional.empty();
    }

    /** Makes sure that nothing is left. */
    void requireEnd() {
        if (in.hasRemaining()) {
            throw new IllegalStateException(in.remaining() + " bytes are left over");
        }
    }

    private long readUnsigned() {
        long value = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            int next = readByte();
            value |= (long) (next & 0x7F) << shift;
            if (next < 0x80) {
                return value;
            }
        }
        throw new IllegalStateException("A number has more than ten bytes");
    }
}
