package dev.tenon.examples.flashsale;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * How many items are left, in a file that all processes read and write: the shared thing that the lock protects. It
 * guards nothing itself: between reading and writing back, another may have sold the same item.
 */
final class StockFile implements AutoCloseable {
    private final FileChannel file;

    private StockFile(FileChannel file) {
        this.file = file;
    }

    static StockFile open(Path path) throws IOException {
        return new StockFile(
                FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
    }

    int left() throws IOException {
        ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
        if (file.read(number, 0) != Integer.BYTES) {
            throw new IOException("The stock was never counted");
        }
        return number.getInt(0);
    }

    void write(int left) throws IOException {
        file.write(ByteBuffer.allocate(Integer.BYTES).putInt(0, left), 0);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
