package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file {@code REACHED} beside a log: up to which entry the log was on this disk, at least. So a log that has lost
 * its end is told from one whose last entry was half written. Not flushed: after a loss of power it may be old, or be
 * no number, and then says less, or nothing. Thread-safe.
 */
final class ReachedMark implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReachedMark.class);
    private static final String FILE = "REACHED";
    private static final Pattern TEXT = Pattern.compile("entry (\\d{1,19}) ([0-9a-f]{8})\n *");
    /** So that a shorter text covers all of a longer one. */
    private static final int LENGTH = 40;

    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final ScheduledExecutorService scheduler =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-raft-mark"));
    private final AtomicLong written = new AtomicLong(-1);
    private final Path file;

    ReachedMark(Path folder) {
        this.file = folder.resolve(FILE);
    }

    /** What was written last; empty if that is not known. */
    OptionalLong read() {
        try {
            if (!Files.exists(file)) {
                return OptionalLong.empty();
            }
            String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
            Matcher matcher = TEXT.matcher(text);
            return matcher.matches() && matcher.group(2).equals(checksum(matcher.group(1)))
                    ? OptionalLong.of(Long.parseLong(matcher.group(1)))
                    : OptionalLong.empty();
        } catch (IOException | NumberFormatException e) {
            LOG.debug("{} can't be read", file, e);
            return OptionalLong.empty();
        }
    }

    /** Keeps it up from now on. A disk that hangs holds up nobody but this. */
    void keep(LongSupplier reached) {
        scheduler.scheduleWithFixedDelay(
                () -> write(reached.getAsLong()), PAUSE.toMillis(), PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        scheduler.shutdownNow();
    }

    /** Notes that the log is on the disk up to an entry. Whatever goes wrong is of no matter. */
    void write(long index) {
        if (index <= written.get()) {
            return;
        }
        String number = Long.toString(index);
        String text = String.format("%-" + LENGTH + "s", "entry " + number + " " + checksum(number) + "\n");
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PrivateFiles.file(file))) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
            written.set(index);
        } catch (IOException e) {
            LOG.debug("{} can't be written", file, e);
        }
    }

    private static String checksum(String number) {
        CRC32C crc = new CRC32C();
        crc.update(number.getBytes(StandardCharsets.US_ASCII));
        return String.format("%08x", crc.getValue());
    }
}
