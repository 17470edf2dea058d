package dev.tenon.raft;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes the primitives of which log entries and snapshots are made; {@link BinaryReader} reads them. Whole numbers
 * take seven bits a byte, signed ones zigzag first, as Protocol Buffers write them; strings are UTF-8 after their
 * length. Not thread-safe.
 */
final class BinaryWriter {
    private static final int FLUSH = 64 << 10;

    private final @Nullable OutputStream out;
    private byte[] bytes = new byte[256];
    private int size;

    /** Writes into memory. */
    BinaryWriter() {
        this.out = null;
    }

    /** Writes into {@code out}, some of it with {@link #flush}; a failure of it is an {@link UncheckedIOException}. */
    BinaryWriter(OutputStream out) {
        this.out = out;
    }

    void writeByte(int value) {
        flushAt(FLUSH);
        if (size == bytes.length) {
            bytes = Arrays.copyOf(bytes, size * 2);
        }
        bytes[size++] = (byte) value;
    }

    /** A number that is 0 or more. */
    void writeCount(long value) {
        if (value < 0) {
            throw new IllegalArgumentException("Not a count: " + value);
        }
        writeUnsigned(value);
    }

    void writeLong(long value) {
        writeUnsigned((value << 1) ^ (value >> 63));
    }

    void writeBoolean(boolean value) {
        writeByte(value ? 1 : 0);
    }

    void writeString(String value) {
        byte[] text = value.getBytes(StandardCharsets.UTF_8);
        writeCount(text.length);
        writeBytes(text);
    }

    void writeDuration(Duration value) {
        writeLong(value.getSeconds());
        writeCount(value.getNano());
    }

    void writeOptionalDuration(Optional<Duration> value) {
        writeBoolean(value.isPresent());
        value.ifPresent(this::writeDuration);
    }

    void writeInstant(Instant value) {
        writeLong(value.getEpochSecond());
        writeCount(value.getNano());
    }

    void writeOptionalInstant(Optional<Instant> value) {
        writeBoolean(value.isPresent());
        value.ifPresent(this::writeInstant);
    }

    void writeOptionalString(Optional<String> value) {
        writeBoolean(value.isPresent());
        value.ifPresent(this::writeString);
    }

    void writeBytes(byte[] value) {
        flushAt(FLUSH);
        if (bytes.length - size < value.length) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, Math.addExact(size, value.length)));
        }
        System.arraycopy(value, 0, bytes, size, value.length);
        size += value.length;
    }

    /** Writes all that has not gone out yet. */
    void flush() {
        flushAt(0);
    }

    private void flushAt(int full) {
        if (out != null && size > full) {
            try {
                out.write(bytes, 0, size);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            size = 0;
        }
    }

    /** How many bytes are in memory. */
    int size() {
        return size;
    }

    byte[] toByteArray() {
        return Arrays.copyOf(bytes, size);
    }

    private void writeUnsigned(long value) {
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            writeByte((int) (rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        writeByte((int) rest);
    }
}
