package dev.tenon.ring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class XxHash64Test {
    private static final long PRIME_32 = 2_654_435_761L;
    private static final long PRIME_64 = 0x9E37_79B1_85EB_CA8DL;

    /** The vectors of the xxHash project's own sanity check, over its generated buffer. */
    @ParameterizedTest
    @CsvSource({
        "0,   0,          EF46DB3751D8E999",
        "0,   2654435761, AC75FDA2929B17EF",
        "1,   0,          E934A84ADB052768",
        "1,   2654435761, 5014607643A9B4C3",
        "4,   0,          9136A0DCA57457EE",
        "14,  0,          8282DCC4994E35C8",
        "14,  2654435761, C3BD6BF63DEB6DF0",
        "222, 0,          B641AE8CB691C174",
        "222, 2654435761, 20CB8AB7AE10C14A"
    })
    void givesThePublishedValues(int length, long seed, String expected) {
        assertThat(XxHash64.hash(sanityBuffer(length), seed)).isEqualTo(Long.parseUnsignedLong(expected, 16));
    }

    @Test
    void givesTheKnownValuesOfTexts() {
        assertThat(hashOf("a")).isEqualTo(0xD24EC4F1A98C6E5BL);
        assertThat(hashOf("abc")).isEqualTo(0x44BC2CF5AD770999L);
        assertThat(hashOf("xxhash")).isEqualTo(0x32DD38952C4BC720L);
        assertThat(hashOf("Nobody inspects the spammish repetition")).isEqualTo(0xFBCEA83C8A378BF1L);
    }

    @Test
    void everyLengthHashesToSomethingElse() {
        long[] hashes = new long[300];
        for (int length = 0; length < hashes.length; length++) {
            hashes[length] = XxHash64.hash(new byte[length], 0);
        }
        assertThat(Arrays.stream(hashes).distinct().count()).isEqualTo(hashes.length);
    }

    private static long hashOf(String text) {
        return XxHash64.hash(text.getBytes(StandardCharsets.UTF_8), 0);
    }

    private static byte[] sanityBuffer(int length) {
        byte[] buffer = new byte[length];
        long generator = PRIME_32;
        for (int i = 0; i < length; i++) {
            buffer[i] = (byte) (generator >>> 56);
            generator *= PRIME_64;
        }
        return buffer;
    }
}
