package dev.tenon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamesTest {
    @ParameterizedTest
    @ValueSource(strings = {"", "a\nb", "\u0000", "tab\t", "\u007f", "\u0085", "\ud83d", "x\ude00", "\ud83dx"})
    void aNameThatIsNoneIsRefused(String bad) {
        assertThatThrownBy(() -> Names.requireValid("lock name", bad))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("lock name ");
    }

    @Test
    void aNameMayNotBeNullOrTooLong() {
        assertThatThrownBy(() -> Names.requireValid("lock name", null))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("lock name");
        assertThatThrownBy(() -> Names.requireValid("lock name", "x".repeat(Names.LENGTH_MAX + 1)))
                .hasMessageContaining("201")
                .hasMessageContaining("200");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", " ", "stock:42", "é", "😀", "名前", "a/b?c=d%20"})
    void anyOtherTextIsAName(String good) {
        assertThat(Names.requireValid("lock name", good)).isSameAs(good);
    }

    @Test
    void theLongestNameIsAName() {
        assertThat(Names.requireValid("x", "x".repeat(Names.LENGTH_MAX))).hasSize(200);
    }

    @Property
    void theOrderIsThatOfUtf8Bytes(@ForAll @StringLength(max = 4) String a, @ForAll @StringLength(max = 4) String b) {
        int byBytes = Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
        boolean encodable = StandardCharsets.UTF_8.newEncoder().canEncode(a)
                && StandardCharsets.UTF_8.newEncoder().canEncode(b);
        if (encodable) {
            assertThat(Integer.signum(Names.ORDER.compare(a, b))).isEqualTo(Integer.signum(byBytes));
        }
        assertThat(Integer.signum(Names.ORDER.compare(b, a))).isEqualTo(-Integer.signum(Names.ORDER.compare(a, b)));
    }

    @Test
    void supplementaryCharactersComeLast() {
        assertThat(Names.ORDER.compare("\uffee", "😀")).isNegative();
        assertThat("\uffee".compareTo("😀")).isPositive();
    }
}
