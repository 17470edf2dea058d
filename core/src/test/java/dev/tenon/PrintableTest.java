package dev.tenon;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrintableTest {
    @ParameterizedTest
    @CsvSource({
        "10, \\n",
        "13, \\r",
        "9, \\t",
        "0, \\u0000",
        "27, \\u001b",
        "127, \\u007f",
        "0x85, \\u0085",
        "0x9b, \\u009b",
        "0x2028, \\u2028",
        "0x2029, \\u2029",
        "0x200e, \\u200e",
        "0x202e, \\u202e",
        "0x2066, \\u2066",
        "0x061c, \\u061c",
        "0xfeff, \\ufeff",
        "0xd83d, \\ud83d",
        "0xdc00, \\udc00",
        "0xe0041, \\udb40\\udc41",
    })
    void whatWouldActOnTheReaderIsShown(String point, String shown) {
        int code = Integer.decode(point);
        String text = code < 0x10000 ? String.valueOf((char) code) : Character.toString(code);
        assertThat(Printable.of("a" + text + "é")).isEqualTo("a" + shown + "é");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b~", "stock:42", "é", "😀", "名前", "می‌خواهم", "👩‍💻", "back\\slash", "\u00a0"})
    void anyOtherTextStaysAsItIs(String text) {
        assertThat(Printable.of(text)).isEqualTo(text);
    }

    @Test
    void aLongTextIsCut() {
        assertThat(Printable.of("abc\n", 3)).isEqualTo("abc…");
        assertThat(Printable.of("abc\n", 4)).isEqualTo("abc\\n");
        assertThat(Printable.of("a😀", 2)).as("in the middle of a pair").isEqualTo("a\\ud83d…");
    }

    @Property
    void nothingThatActsIsLeft(@ForAll @StringLength(max = 40) String text) {
        String shown = Printable.of(text);
        assertThat(shown.codePoints())
                .allSatisfy(point -> assertThat(Character.isISOControl(point)
                                || Character.getType(point) == Character.SURROGATE
                                || Character.getType(point) == Character.LINE_SEPARATOR
                                || Character.getType(point) == Character.PARAGRAPH_SEPARATOR
                                || point >= 0x202a && point <= 0x202e
                                || point >= 0x2066 && point <= 0x2069)
                        .isFalse());
        assertThat(Printable.of(shown)).isEqualTo(shown);
    }
}
