package dev.tenon.raft;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * How far a segment of Ratis' log is as it was written: {@code RaftLog1}, then entries (length, protocol buffer with
 * term and index in its first two fields, CRC-32C of both), then zeros to the end of the file.
 *
 * @param end position after the last good entry
 * @param next index of the entry that would follow it
 * @param intact whether nothing but zeros follows
 */
record LogSegmentScan(int end, long next, boolean intact) {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int CHECKSUM_BYTES = 4;
    private static final int TERM_TAG = 0x08;
    private static final int INDEX_TAG = 0x10;

    /** An entry: where it ends, and its index; no entry if the index is negative. */
    private record Found(int end, long index) {
        static final Found NOTHING = new Found(0, -1);
    }

    /** Reads a segment whose first entry should have the index {@code first}. */
    static LogSegmentScan of(ByteBuffer bytes, long first) {
        int position = HEADER.length;
        for (int i = 0; i < HEADER.length; i++) {
            if (i >= bytes.limit() || bytes.get(i) != HEADER[i]) {
                return new LogSegmentScan(0, first, onlyZeros(bytes, 0));
            }
        }
        long next = first;
        while (true) {
            Found found = entryAt(bytes, position);
            if (found.index() != next) {
                return new LogSegmentScan(position, next, onlyZeros(bytes, position));
            }
            position = found.end();
            next++;
        }
    }

    /** Whether some good entry stands behind the place where a scan came to its end. */
    static boolean hasEntryAfter(ByteBuffer bytes, LogSegmentScan scan) {
        for (int position = scan.end() + 1; position < bytes.limit(); position++) {
            if (entryAt(bytes, position).index() >= scan.next()) {
                return true;
            }
        }
        return false;
    }

    private static Found entryAt(ByteBuffer bytes, int start) {
        ByteBuffer in = bytes.duplicate().position(start);
        long length = varint(in);
        int bodyStart = in.position();
        if (length <= 0 || length > in.remaining() - CHECKSUM_BYTES) {
            return Found.NOTHING;
        }
        // Term and index are looked at before the checksum is computed: the search for later entries tries every byte.
        if (in.get() != TERM_TAG || varint(in) < 0 || !in.hasRemaining()) {
            return Found.NOTHING;
        }
        long index = in.get() == INDEX_TAG ? varint(in) : 0; // a field that is 0 is not written
        int end = bodyStart + (int) length;
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().position(start).limit(end));
        return index >= 0 && bytes.getInt(end) == (int) crc.getValue()
                ? new Found(end + CHECKSUM_BYTES, index)
                : Found.NOTHING;
    }

    /** A number in the encoding of Protocol Buffers; −1 if there is none. */
    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; shift < 63 && in.hasRemaining(); shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7F) << shift;
            if (next >= 0) {
                return value;
            }
        }
        return -1;
    }

    private static boolean onlyZeros(ByteBuffer bytes, int from) {
        for (int i = from; i < bytes.limit(); i++) {
            if (bytes.get(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
