package dev.tenon.raft;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LogSegmentScanTest {
    @Test
    void aSegmentOfZerosIsIntactAndEmpty() {
        LogSegmentScan scan = LogSegmentScan.of(ByteBuffer.allocate(100), 7);
        assertThat(scan).isEqualTo(new LogSegmentScan(0, 7, true));
    }

    @Test
    void aHeaderWithZerosAfterItIsIntactAndEmpty() {
        ByteBuffer bytes = ByteBuffer.allocate(100).put("RaftLog1".getBytes(StandardCharsets.US_ASCII));
        LogSegmentScan scan = LogSegmentScan.of(bytes.rewind(), 7);
        assertThat(scan).isEqualTo(new LogSegmentScan(8, 7, true));
    }

    @Test
    void garbageIsNeitherAnEntryNorTheEnd() {
        byte[] bytes = "RaftLog1 and now for something completely different".getBytes(StandardCharsets.US_ASCII);
        LogSegmentScan scan = LogSegmentScan.of(ByteBuffer.wrap(bytes), 0);
        assertThat(scan).isEqualTo(new LogSegmentScan(8, 0, false));
        assertThat(LogSegmentScan.hasEntryAfter(ByteBuffer.wrap(bytes), scan)).isFalse();
    }

    /** Where the last entry of a good segment that begins with entry 0 starts. */
    static int startOfLastEntry(byte[] good, Path file) throws IOException {
        long last = nextIndex(file) - 1;
        for (int end = good.length - 1; ; end--) {
            LogSegmentScan scan =
                    LogSegmentScan.of(ByteBuffer.wrap(good, 0, end).slice(), 0);
            if (scan.next() == last) {
                return scan.end();
            }
        }
    }

    static long nextIndex(Path file) throws IOException {
        return LogSegmentScan.of(ByteBuffer.wrap(Files.readAllBytes(file)), 0).next();
    }
}
