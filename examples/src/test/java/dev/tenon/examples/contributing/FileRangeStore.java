package dev.tenon.examples.contributing;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Ranges in a file that the processes of one machine share. Thread-safe. */
final class FileRangeStore implements RangeStore {
    private final Path file;
    private final ReentrantLock mutex = new ReentrantLock();

    FileRangeStore(Path file) {
        this.file = file;
    }

    // tag::store[]
    @Override
    public IdRange next(String name, long count) {
        return change(table -> table.next(name, count));
    }

    /** Runs one call over the state in the file, which other processes cannot touch meanwhile. */
    private <R> R change(Function<RangeTable, R> call) {
        mutex.lock(); // the lock of a file is the process's, not the thread's
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            channel.lock(); // until the channel is closed
            RangeTable table = read(channel);
            try {
                return call.apply(table);
            } finally {
                write(channel, table); // also after an exception: raiseTo may use a sequence up
            }
        } catch (IOException e) {
            throw new OutcomeUnknownException("File " + file + " may be written or not: " + e.getMessage(), e);
        } finally {
            mutex.unlock();
        }
    }
    // end::store[]

    @Override
    public void define(String name, RangeDefinition definition) {
        change(table -> {
            table.define(name, definition);
            return definition;
        });
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        return change(table -> table.definition(name));
    }

    @Override
    public long raiseTo(String name, long floor) {
        return change(table -> table.raiseTo(name, floor));
    }

    private static RangeTable read(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size()));
        while (bytes.hasRemaining() && channel.read(bytes) >= 0) {}
        return RangeTable.of(StandardCharsets.UTF_8
                .decode(bytes.flip())
                .toString()
                .lines()
                .map(line -> entry(line.split(" ", 5)))
                .toList());
    }

    private static RangeTable.Entry entry(String[] fields) {
        RangeDefinition definition =
                new RangeDefinition(Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2]));
        return new RangeTable.Entry(fields[4], definition, Long.parseLong(fields[3]));
    }

    private static void write(FileChannel channel, RangeTable table) throws IOException {
        String text = table.export().stream()
                .map(entry ->
                        entry.definition().start() + " " + entry.definition().step() + " "
                                + entry.definition().max() + " " + entry.last() + " " + entry.name() + "\n")
                .collect(Collectors.joining());
        ByteBuffer bytes = StandardCharsets.UTF_8.encode(text);
        channel.truncate(0).position(0);
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        channel.force(true);
    }
}
