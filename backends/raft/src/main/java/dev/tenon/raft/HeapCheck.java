package dev.tenon.raft;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Refuses a data folder whose state does not fit the heap while it is read, before the JVM is out of memory: then
 * nobody could say any more what to do, and it would be the same at each start.
 *
 * @param folder for people
 * @param heap the greatest size of the heap, in bytes
 */
record HeapCheck(Path folder, long heap) {
    /** For what is known to fit. */
    static final HeapCheck NONE = new HeapCheck(Path.of(""), Long.MAX_VALUE);

    /** A state may take this share of the heap at most: the engine, the server and what is under way need the rest. */
    private static final long SHARE = 2;

    /** A heap that is asked for has room for this many times the state, so that it may grow as well. */
    private static final long ROOM = 4;

    private static final Pattern SEGMENT = Pattern.compile("log_(?:\\d+-(\\d+)|inprogress_\\d+)");

    private static final long MEBIBYTE = 1 << 20;
    private static final long STEP = 64;

    /** What a snapshot of so many bytes takes, while it is read. */
    Reading of(long size) {
        return new Reading(size);
    }

    /** A snapshot that is being read. Not thread-safe. */
    final class Reading {
        private final long size;
        private long beside;

        private Reading(long size) {
            this.size = size;
        }

        /**
         * One more record begins.
         *
         * @param bytes that it takes beside its own
         * @param position how many bytes of the snapshot were read
         * @throws DataFolderException if they do not fit
         */
        void read(long bytes, long position) {
            beside += bytes;
            long taken = beside + position;
            if (taken > heap / SHARE) {
                throw tooSmall((long) ((double) taken / Math.max(1, position) * size));
            }
        }
    }

    /**
     * Entries of the log were applied.
     *
     * @param bytes that the state takes now
     * @param index of the latest
     * @throws DataFolderException if they do not fit
     */
    void applied(long bytes, long index) {
        if (bytes > heap / SHARE) {
            throw tooSmall(bytes + logAfter(index));
        }
    }

    /** Bytes of the files that have entries after {@code index}: what is still to come. */
    private long logAfter(long index) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> {
                        Matcher segment = SEGMENT.matcher(String.valueOf(file.getFileName()));
                        return segment.matches()
                                && (segment.group(1) == null || Long.parseLong(segment.group(1)) > index);
                    })
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        } catch (IOException | UncheckedIOException e) {
            return 0; // then it needs more than can be said
        }
    }

    /** What to say if the memory was not enough all the same. */
    DataFolderException outOfMemory() {
        return tooSmall(heap / SHARE);
    }

    private DataFolderException tooSmall(long state) {
        long needed = (state * ROOM / MEBIBYTE / STEP + 1) * STEP;
        return new DataFolderException("What is in data folder " + folder + " takes some " + state / MEBIBYTE
                + " MiB of memory, too much for a heap of " + heap / MEBIBYTE + " MiB. It needs about " + needed
                + " MiB: start with TENON_JAVA_OPTS=-Xmx" + needed + "m. Nothing was changed");
    }
}
