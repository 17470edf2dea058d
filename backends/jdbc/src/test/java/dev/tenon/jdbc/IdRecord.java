package dev.tenon.jdbc;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/**
 * The IDs that one thread was given, in a file mapped to memory: each is there as soon as it was issued, and stays if
 * the process is killed in the next instant. The differences between IDs are written seven bits a byte, zigzag, so that
 * the zeros of a fresh file mean the end. Not thread-safe.
 */
final class IdRecord implements AutoCloseable {
    private static final int CHUNK = 1 << 22;
    private static final int LONGEST = 10;

    private final FileChannel channel;
    private MappedByteBuffer chunk;
    private long start;
    private long last;

    private IdRecord(FileChannel channel) throws IOException {
        this.channel = channel;
        this.chunk = channel.map(FileChannel.MapMode.READ_WRITE, 0, CHUNK);
    }

    static IdRecord create(Path file) throws IOException {
        return new IdRecord(FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    void write(long id) {
        if (chunk.remaining() < LONGEST) {
            start += CHUNK;
            try {
                chunk = channel.map(FileChannel.MapMode.READ_WRITE, start, CHUNK);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        long difference = id - last;
        last = id;
        long rest = difference << 1 ^ difference >> 63;
        while (rest >>> 7 != 0) {
            chunk.put((byte) (rest | 0x80));
            rest >>>= 7;
        }
        chunk.put((byte) rest);
    }

    /**
     * Hands every ID in a file to {@code each}, in the order in which they were issued; one half-written is left out.
     */
    static void read(Path file, LongConsumer each) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            long last = 0;
            for (long start = 0; start + CHUNK <= channel.size(); start += CHUNK) {
                MappedByteBuffer chunk = channel.map(FileChannel.MapMode.READ_ONLY, start, CHUNK);
                while (chunk.remaining() >= LONGEST) {
                    long rest = 0;
                    int shift = 0;
                    byte part = chunk.get();
                    for (; part < 0; part = chunk.get()) {
                        rest |= (part & 0x7FL) << shift;
                        shift += 7;
                    }
                    if (part == 0) {
                        break; // the end, or the end of what was written of the last
                    }
                    rest |= (long) part << shift;
                    last += rest >>> 1 ^ -(rest & 1);
                    each.accept(last);
                }
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
