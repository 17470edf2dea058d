package dev.tenon.id.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class IdCodecTest {
    private static final String RFC4648_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    private static final String CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    static List<IdCodec> all() {
        return List.of(
                IdCodec.base2(),
                IdCodec.base16(),
                IdCodec.crockford32(),
                IdCodec.base36(),
                IdCodec.base58(),
                IdCodec.base62(),
                IdCodec.base64Url());
    }

    static List<IdCodec> sortable() {
        return all().stream().map(IdCodec::fixedWidth).filter(IdCodec::sortable).toList();
    }

    /** RFC 4648, section 10, without its padding; its base 32 has other symbols for the same groups. */
    @ParameterizedTest
    @CsvSource({
        "'', '', '', ''",
        "f, Zg, MY, 66",
        "fo, Zm8, MZXQ, 666f",
        "foo, Zm9v, MZXW6, 666f6f",
        "foob, Zm9vYg, MZXW6YQ, 666f6f62",
        "fooba, Zm9vYmE, MZXW6YTB, 666f6f6261",
        "foobar, Zm9vYmFy, MZXW6YTBOI, 666f6f626172"
    })
    void bytesAsRfc4648(String plain, String base64, String base32, String base16) {
        byte[] bytes = plain.getBytes(StandardCharsets.US_ASCII);
        StringBuilder crockford = new StringBuilder();
        base32.chars().forEach(c -> crockford.append(CROCKFORD.charAt(RFC4648_BASE32.indexOf(c))));
        assertBytes(IdCodec.base64Url(), bytes, base64);
        assertBytes(IdCodec.crockford32(), bytes, crockford.toString());
        assertBytes(IdCodec.base16(), bytes, base16);
    }

    /** Bitcoin's test data for base 58. */
    @ParameterizedTest
    @CsvSource({
        "'', ''",
        "61, 2g",
        "626262, a3gV",
        "636363, aPEr",
        "73696d706c792061206c6f6e6720737472696e67, 2cFupjhnEsSn59qHXstmK2ffpLv2",
        "00eb15231dfceb60925886b67d065299925915aeb172c06647, 1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L",
        "516b6fcd0f, ABnLTmg",
        "bf4f89001e670274dd, 3SEo3LWLoPntC",
        "572e4794, 3EFU7m",
        "ecac89cad93923c02321, EJDM8drfXA6uyA",
        "10c8511e, Rt5zm",
        "00000000000000000000, 1111111111"
    })
    void bytesAsBitcoin(String hex, String text) {
        assertBytes(IdCodec.base58(), HexFormat.of().parseHex(hex), text);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, 0, 0, 0, 1, 0, A",
        "1, 1, 1, 1, 1, 2, 1, B",
        "31, 11111, 1f, Z, v, Y, V, f",
        "57, 111001, 39, 1S, 1l, z, v, 5",
        "63, 111111, 3f, 1Z, 1r, 26, 11, _",
        "1234567890, 1001001100101100000001011010010, 499602d2, 14SC0PJ, kf12oi, 2t6V2H, 1LY7VK, BJlgLS"
    })
    void numbers(long number, String b2, String b16, String b32, String b36, String b58, String b62, String b64) {
        assertThat(all()).extracting(codec -> codec.encode(number)).containsExactly(b2, b16, b32, b36, b58, b62, b64);
    }

    @Test
    void theGreatestNumberIsAllBits() {
        assertThat(all())
                .extracting(codec -> codec.encode(-1))
                .containsExactly(
                        "1".repeat(64),
                        "f".repeat(16),
                        "FZZZZZZZZZZZZ",
                        "3w5e11264sgsf",
                        "jpXCZedGfVQ",
                        "LygHa16AHYF",
                        "P__________");
    }

    @Property
    void everyNumberHasOneText(@ForAll long number) {
        for (IdCodec codec : all()) {
            String text = codec.encode(number);
            assertThat(codec.decode(text)).isEqualTo(number);
            String padded = codec.fixedWidth().encode(number);
            assertThat(padded).hasSize(codec.width()).endsWith(text);
            assertThat(codec.fixedWidth().decode(padded)).isEqualTo(number);
        }
        assertThat(IdCodec.base16().encode(number)).isEqualTo(Long.toHexString(number));
        assertThat(IdCodec.base2().encode(number)).isEqualTo(Long.toBinaryString(number));
        assertThat(IdCodec.base36().encode(number)).isEqualTo(Long.toUnsignedString(number, 36));
    }

    @Property
    void fixedWidthSortsAsTheNumbers(@ForAll long one, @ForAll long other) {
        assertThat(sortable()).hasSize(6);
        for (IdCodec codec : sortable()) {
            assertThat(Integer.signum(codec.encode(one).compareTo(codec.encode(other))))
                    .isEqualTo(Long.compareUnsigned(one, other));
        }
    }

    /** Whatever is read is written again as it was: no two texts have one number, or the same bytes. */
    @Property
    void whatIsReadIsCanonical(
            @ForAll @IntRange(min = 0, max = 6) int which, @ForAll @StringLength(max = 14) String text) {
        IdCodec codec = all().get(which);
        String near = codec.tidy(text.replaceAll("[^0-9A-Za-z_-]", "1"));
        for (String some : List.of(text, near)) {
            for (IdCodec reader : List.of(codec, codec.fixedWidth())) {
                try {
                    assertThat(reader.encode(reader.decode(some))).isEqualTo(some);
                } catch (IllegalArgumentException e) {
                    assertThat(e).hasMessageStartingWith("Not ");
                }
            }
            try {
                assertThat(codec.encodeBytes(codec.decodeBytes(some))).isEqualTo(some);
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("Not ");
            }
        }
    }

    @Property
    void everyBytesHaveOneText(@ForAll @Size(max = 40) byte[] bytes, @ForAll @IntRange(min = 0, max = 3) int zeros) {
        byte[] some = new byte[zeros + bytes.length];
        System.arraycopy(bytes, 0, some, zeros, bytes.length);
        for (IdCodec codec : all()) {
            assertThat(codec.decodeBytes(codec.encodeBytes(some))).isEqualTo(some);
        }
        assertThat(IdCodec.base16().encodeBytes(some)).isEqualTo(HexFormat.of().formatHex(some));
        assertThat(IdCodec.base64Url().encodeBytes(some))
                .isEqualTo(Base64.getUrlEncoder().withoutPadding().encodeToString(some));
    }

    @ParameterizedTest
    @MethodSource("all")
    void refusesWhatNoNumberIsWrittenAs(IdCodec codec) {
        String zero = codec.encode(0);
        String one = codec.encode(1);
        String greatest = codec.encode(-1);
        refuses(codec, "", "0 symbols");
        refuses(codec, zero + one, "begins with a zero");
        refuses(codec, one + " ", "' '");
        refuses(codec, one + "\u00e9", "'\u00e9'");
        refuses(codec, one + "\u0661", "'\u0661'");
        refuses(codec, greatest + zero, "a number has 1 to " + codec.width());
        refuses(codec.fixedWidth(), one, "exactly " + codec.width());
        if (codec.alphabet().base() != 2 && codec.alphabet().base() != 16) {
            String last = new String(
                    new byte[] {codec.alphabet().symbol(codec.alphabet().base() - 1)}, StandardCharsets.US_ASCII);
            refuses(codec, last.repeat(codec.width()), "over 64 bits");
            refuses(codec, next(codec, greatest), "over 64 bits");
        }
    }

    @Test
    void refusesWhatNoBytesAreWrittenAs() {
        assertThatThrownBy(() -> IdCodec.base64Url().decodeBytes("Zg==")).hasMessageContaining("'='");
        assertThatThrownBy(() -> IdCodec.base64Url().decodeBytes("Zm9vY")).hasMessageContaining("cut off");
        assertThatThrownBy(() -> IdCodec.base64Url().decodeBytes("Zh")).hasMessageContaining("bits too many");
        assertThatThrownBy(() -> IdCodec.crockford32().decodeBytes("CSQ")).hasMessageContaining("cut off");
        assertThatThrownBy(() -> IdCodec.crockford32().decodeBytes("CT")).hasMessageContaining("bits too many");
        assertThatThrownBy(() -> IdCodec.base16().decodeBytes("666")).hasMessageContaining("cut off");
        assertThatThrownBy(() -> IdCodec.base16().decodeBytes("6F")).hasMessageContaining("'F'");
        assertThatThrownBy(() -> IdCodec.base2().decodeBytes("0110011")).hasMessageContaining("cut off");
        assertThatThrownBy(() -> IdCodec.base58().decodeBytes("0")).hasMessageContaining("'0'");
    }

    @ParameterizedTest
    @MethodSource("all")
    void hasALimit(IdCodec codec) {
        String longest = codec.encodeBytes(new byte[ByteText.BYTES_MAX]);
        assertThat(codec.decodeBytes(longest)).hasSize(ByteText.BYTES_MAX);
        assertThatThrownBy(() -> codec.encodeBytes(new byte[ByteText.BYTES_MAX + 1]))
                .hasMessageContaining("1024");
        assertThatThrownBy(() -> codec.decodeBytes(longest + longest)).hasMessageContaining("too long");
        assertThatThrownBy(() -> codec.decodeBytes(longest.repeat(100)))
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(200));
    }

    /** Such as the Kelvin sign, whose lower case is a k, or the dotless i, whose upper case is an I. */
    @Test
    void tidiesNoLetterThatOnlyLooksLikeOne() {
        for (int unit = 128; unit <= Character.MAX_VALUE; unit++) {
            String typed = String.valueOf((char) unit);
            for (IdCodec codec : List.of(IdCodec.base16(), IdCodec.crockford32(), IdCodec.base36())) {
                assertThat(codec.tidy(typed)).isEqualTo(typed);
            }
        }
    }

    @Test
    void tidiesWhatAPersonTyped() {
        assertThat(IdCodec.crockford32().tidy("i4sc-oPj")).isEqualTo("14SC0PJ");
        assertThat(IdCodec.crockford32().decode(IdCodec.crockford32().tidy("L4SCoPJ")))
                .isEqualTo(1234567890);
        assertThat(IdCodec.base36().tidy("KF12OI")).isEqualTo("kf12oi");
        assertThat(IdCodec.base16().tidy("499602D2")).isEqualTo("499602d2");
        assertThat(IdCodec.base58().tidy("2t6V2H")).isEqualTo("2t6V2H");
        refuses(IdCodec.crockford32(), "14SCOPJ", "'O'");
        refuses(IdCodec.crockford32(), "14sc0pj", "'s'");
    }

    private static String next(IdCodec codec, String text) {
        Alphabet alphabet = codec.alphabet();
        byte[] symbols = text.getBytes(StandardCharsets.US_ASCII);
        int i = symbols.length - 1;
        while (alphabet.value(text, i) == alphabet.base() - 1) {
            symbols[i--] = alphabet.symbol(0);
        }
        symbols[i] = alphabet.symbol(alphabet.value(text, i) + 1);
        return new String(symbols, StandardCharsets.US_ASCII);
    }

    private static void refuses(IdCodec codec, String text, String why) {
        assertThatThrownBy(() -> codec.decode(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private static void assertBytes(IdCodec codec, byte[] bytes, String text) {
        assertThat(codec.encodeBytes(bytes)).isEqualTo(text);
        assertThat(codec.decodeBytes(text)).isEqualTo(bytes);
    }
}
