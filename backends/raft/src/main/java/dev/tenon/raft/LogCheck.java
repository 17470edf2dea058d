package dev.tenon.raft;

import java.io.IOException;
import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks through the files of the engine before it starts, because Ratis neither tells a torn write from damage (it
 * refuses both, or drops everything after either) nor names what to do.
 *
 * <p>A crash may leave a half-written entry at the end of the open segment. No answer was ever given for it, so it is
 * cut off. Anything else that is not as it was written, in particular a bad entry with good ones after it, is damage:
 * dropping it could take back locks and numbers that were given out, so the node does not start.
 */
final class LogCheck {
    private static final Logger LOG = LoggerFactory.getLogger(LogCheck.class);
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.\\d+_(\\d+)");

    private final OptionalLong reached;
    private final String advice;

    private LogCheck(OptionalLong reached, String advice) {
        this.reached = reached;
        this.advice = advice;
    }

    private record Segment(Path file, long first, long last, boolean open) {}

    /**
     * Checks the storage of one group, and mends a torn end.
     *
     * @param group its folder, with {@code current} and {@code sm} in it; it need not exist
     * @param reached up to which entry the log was on the disk before, at least
     * @param advice what to do about damage
     * @throws DataFolderException if something is damaged or missing
     */
    static void run(Path group, OptionalLong reached, String advice) {
        new LogCheck(reached, advice).run(group);
    }

    private void run(Path group) {
        try {
            Path current = group.resolve("current");
            if (!Files.exists(current)) {
                return;
            }
            List<Segment> segments = segments(current);
            if (!segments.isEmpty() && !Files.exists(current.resolve("raft-meta"))) {
                throw damaged(current.resolve("raft-meta"), "it is missing");
            }
            checkVotes(current.resolve("raft-meta"));
            long snapshot = checkSnapshots(group.resolve("sm"));
            if (segments.isEmpty() && snapshot < 0 && Files.exists(current.resolve("raft-meta.conf"))) {
                throw damaged(current, "its log files are missing");
            }
            long last = checkSegments(withoutPurged(segments, snapshot), snapshot);
            if (last < reached.orElse(-1)) {
                throw damaged(
                        current, "entries " + (last + 1) + " to " + reached.getAsLong() + " are missing at its end");
            }
        } catch (IOException e) {
            throw new DataFolderException(
                    "The log in " + group + " can't be read (" + e + "): check the disk. " + advice, e);
        }
    }

    /** The term, and whom this node voted for in it, without which it could vote twice. */
    private void checkVotes(Path file) throws IOException {
        if (!Files.exists(file)) {
            return;
        }
        Properties said = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            said.load(reader);
        } catch (IllegalArgumentException e) {
            throw damaged(file, "it can't be read");
        }
        String term = said.getProperty("term", "");
        if (!term.matches("\\d{1,18}") || said.getProperty("votedFor") == null) {
            throw damaged(file, Files.size(file) == 0 ? "it is empty" : "it does not say for whom this node has voted");
        }
    }

    /** Ends a purge that was interrupted: Ratis deletes the newest segment first, and stumbles over the gap. */
    private List<Segment> withoutPurged(List<Segment> segments, long snapshot) throws IOException {
        List<Segment> kept = new ArrayList<>();
        for (Segment segment : segments) {
            if (segment.last() <= snapshot) {
                Files.delete(segment.file());
            } else {
                kept.add(segment);
            }
        }
        return kept;
    }

    /** The index of the last entry. */
    private long checkSegments(List<Segment> segments, long snapshot) throws IOException {
        long expected = snapshot + 1;
        for (Segment segment : segments) {
            if (segment.first() > expected) {
                throw damaged(
                        segment.file(),
                        "entries " + expected + " to " + (segment.first() - 1) + " before it are missing");
            }
            expected = 1 + (segment.open() ? checkOpen(segment) : checkClosed(segment));
        }
        return expected - 1;
    }

    private long checkClosed(Segment segment) throws IOException {
        LogSegmentScan scan = LogSegmentScan.of(read(segment.file()), segment.first());
        if (!scan.intact() || scan.next() != segment.last() + 1) {
            throw damaged(
                    segment.file(), "entry " + scan.next() + " at byte " + scan.end() + " is not as it was written");
        }
        return segment.last();
    }

    private long checkOpen(Segment segment) throws IOException {
        ByteBuffer bytes = read(segment.file());
        LogSegmentScan scan = LogSegmentScan.of(bytes, segment.first());
        if (scan.intact()) {
            return scan.next() - 1;
        }
        if (LogSegmentScan.hasEntryAfter(bytes, scan)) {
            throw damaged(
                    segment.file(),
                    "entry " + scan.next() + " at byte " + scan.end() + " is bad, and entries after it are good");
        }
        if (scan.next() <= reached.orElse(-1)) {
            throw damaged(segment.file(), "entry " + scan.next() + " at byte " + scan.end() + " is cut off");
        }
        LOG.warn("{}: cut off a half-written entry at byte {}; no answer was given for it", segment.file(), scan.end());
        try (FileChannel channel = FileChannel.open(segment.file(), StandardOpenOption.WRITE)) {
            channel.truncate(scan.end());
            channel.force(true);
        }
        return scan.next() - 1;
    }

    private List<Segment> segments(Path current) throws IOException {
        List<Segment> segments = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(current)) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                Matcher closed = CLOSED.matcher(name);
                Matcher open = OPEN.matcher(name);
                if (closed.matches()) {
                    segments.add(
                            new Segment(file, Long.parseLong(closed.group(1)), Long.parseLong(closed.group(2)), false));
                } else if (open.matches()) {
                    segments.add(new Segment(file, Long.parseLong(open.group(1)), Long.MAX_VALUE, true));
                }
            }
        }
        segments.sort(Comparator.comparingLong(Segment::first));
        for (int i = 0; i + 1 < segments.size(); i++) {
            if (segments.get(i).open()) {
                throw damaged(segments.get(i + 1).file(), "it follows a segment that is still open");
            }
        }
        return segments;
    }

    /** The index of the newest snapshot, which must be readable; −1 if there is none. */
    private long checkSnapshots(Path folder) throws IOException {
        Path newest = null;
        long index = -1;
        if (Files.exists(folder)) {
            try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
                for (Path file : files) {
                    Matcher snapshot = SNAPSHOT.matcher(String.valueOf(file.getFileName()));
                    // Ratis does not count one without its digest: it was not finished.
                    if (snapshot.matches()
                            && Files.exists(folder.resolve(file.getFileName() + ".md5"))
                            && Long.parseLong(snapshot.group(1)) > index) {
                        newest = file;
                        index = Long.parseLong(snapshot.group(1));
                    }
                }
            }
        }
        if (newest != null) {
            try {
                SnapshotCodec.requireIntact(SnapshotCodec.map(newest));
            } catch (IllegalStateException e) {
                throw damaged(newest, String.valueOf(e.getMessage()));
            }
        }
        return index;
    }

    private static ByteBuffer read(Path file) throws IOException {
        return ByteBuffer.wrap(Files.readAllBytes(file));
    }

    private DataFolderException damaged(Path file, String what) {
        return new DataFolderException(file + " is damaged: " + what + ". Nothing was changed. " + advice);
    }
}
