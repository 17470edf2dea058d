package dev.tenon.testkit.faults;

import dev.tenon.lock.StaleTokenException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;

/**
 * A guarded number in a file, for stores that keep nothing but locks. One at a time a process; processes may share it.
 */
final class FileRegister implements LockStoreFixture.Register {
    private final Path file;

    FileRegister(Path file) {
        this.file = file;
    }

    @Override
    public long read(OptionalLong token) {
        return inFile(token, OptionalLong.empty());
    }

    @Override
    public void write(long value, OptionalLong token) {
        inFile(token, OptionalLong.of(value));
    }

    private long inFile(OptionalLong token, OptionalLong newValue) {
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
                var alone = channel.lock()) {
            ByteBuffer bytes = ByteBuffer.allocate((int) channel.size());
            while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
            String text = new String(bytes.array(), StandardCharsets.US_ASCII);
            String[] words = (text.isEmpty() ? "0 0" : text).split(" ");
            long greatest = Long.parseLong(words[1]);
            if (token.isPresent() && token.getAsLong() < greatest) {
                throw new StaleTokenException(file.getFileName().toString(), token.getAsLong(), greatest);
            }
            long value = newValue.orElse(Long.parseLong(words[0]));
            String next = value + " " + Math.max(greatest, token.orElse(0));
            channel.truncate(0).write(ByteBuffer.wrap(next.getBytes(StandardCharsets.US_ASCII)), 0);
            return alone.isValid() ? value : 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
