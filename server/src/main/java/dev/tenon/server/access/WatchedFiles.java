package dev.tenon.server.access;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few small files that belong together, such as a certificate and its key. They are read again and again, and what
 * they mean is taken over when their content has changed, by whatever means (a secret that is mounted changes by a
 * symbolic link). What can't be read, or means nothing, changes nothing, and is logged once. Thread-safe.
 */
public final class WatchedFiles {
    private static final Logger LOG = LoggerFactory.getLogger(WatchedFiles.class);

    private final ReentrantLock guard = new ReentrantLock();
    private final List<Path> files;
    private final Taker taker;
    private List<byte[]> taken;
    private @Nullable String complaint;

    /** Takes over what the files mean. */
    @FunctionalInterface
    public interface Taker {
        /**
         * They have changed.
         *
         * @param contents one a file
         * @throws IllegalArgumentException if they mean nothing; the message says why
         */
        void take(List<byte[]> contents);
    }

    /**
     * Reads the files and takes over what they mean.
     *
     * @throws IllegalArgumentException if they can't be read, or mean nothing; the message says which and why
     */
    public WatchedFiles(List<Path> files, Taker taker) {
        this.files = List.copyOf(files);
        this.taker = taker;
        this.taken = read();
        taker.take(taken);
    }

    /** Looks once whether they have changed, and takes that over. */
    public void runOnce() {
        guard.lock();
        try {
            List<byte[]> now = read();
            if (same(now, taken)) {
                return;
            }
            taker.take(now);
            taken = now;
            complaint = null;
            LOG.info("Reloaded {}", files);
        } catch (IllegalArgumentException e) {
            String complained = String.valueOf(e.getMessage());
            if (!complained.equals(complaint)) {
                complaint = complained;
                LOG.error("The previous content stays in force: {}", complained);
            }
        } finally {
            guard.unlock();
        }
    }

    private List<byte[]> read() {
        List<byte[]> contents = new ArrayList<>();
        for (Path file : files) {
            try {
                contents.add(Files.readAllBytes(file));
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        file + " can't be read (" + e.getClass().getSimpleName() + ")", e);
            }
        }
        return contents;
    }

    private static boolean same(List<byte[]> one, List<byte[]> other) {
        for (int i = 0; i < one.size(); i++) {
            if (!Arrays.equals(one.get(i), other.get(i))) {
                return false;
            }
        }
        return true;
    }
}
