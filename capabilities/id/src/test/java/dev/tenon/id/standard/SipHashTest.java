package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SipHashTest {
    /**
     * The first eight vectors of the reference implementation: the key 00 01 … 0f, the messages of no byte, 00, 00 01,
     * and so on. Such a message is one word for SipHash, with its length on top.
     */
    @Test
    void hashesAsPublished() {
        long[] published = {
            0x726fdb47dd0e0e31L, 0x74f839c593dc67fdL, 0x0d6c8009d9a94f5aL, 0x85676696d7fb7e2dL,
            0xcf2794e0277187b7L, 0x18765564cd99a68dL, 0xcbc9466e58fee3ceL, 0xab0200f58b01d137L
        };
        SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
        long message = 0;
        for (int length = 0; length < published.length; length++) {
            assertThat(hash.of((long) length << 56 | message)).isEqualTo(published[length]);
            message |= (long) length << 8 * length;
        }
    }
}
