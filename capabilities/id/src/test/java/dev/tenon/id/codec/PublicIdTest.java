package dev.tenon.id.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PublicIdTest {
    private static final String SYMBOLS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

    private final PublicId orders = PublicId.builder("ord").key(1, key(1)).build();

    /** What is written today must be read for ever: these texts never change. */
    @ParameterizedTest
    @CsvSource({
        "0, ord_2EFawSpzJANfj",
        "1, ord_2aEwXycbAHSix",
        "2, ord_2ejoXkCeQ493U",
        "3, ord_2X1aHMPKdE1m2",
        "-1, ord_2S2fuoCXfeg1Y"
    })
    void textsStayAsTheyAre(long number, String text) {
        byte[] key = new byte[32];
        for (int i = 0; i < key.length; i++) {
            key[i] = (byte) i;
        }
        PublicId ids = PublicId.builder("ord").key(1, key).build();
        assertThat(ids.encode(number)).isEqualTo(text);
        assertThat(ids.decode(text)).isEqualTo(number);
    }

    @Property
    void everyNumberComesBack(@ForAll long number) {
        String text = orders.encode(number);
        assertThat(text).matches("ord_2[" + SYMBOLS + "]{12}");
        assertThat(orders.decode(text)).isEqualTo(number);
    }

    /** Both ways round: whatever text is read is the one that its number is written as. */
    @Property
    void everyNumberOfTheCipherComesBack(@ForAll long number) {
        Feistel permutation = new Feistel(key(9));
        assertThat(permutation.decrypt(permutation.encrypt(number))).isEqualTo(number);
        assertThat(permutation.encrypt(permutation.decrypt(number))).isEqualTo(number);
    }

    @Property
    void whatIsReadIsCanonical(@ForAll @StringLength(value = 13) String any) {
        String body = any.chars()
                .mapToObj(c -> SYMBOLS.substring(c % SYMBOLS.length(), c % SYMBOLS.length() + 1))
                .reduce("", String::concat);
        int read = 0;
        for (char last : SYMBOLS.toCharArray()) {
            String text = "ord_2" + body.substring(1, 12) + last;
            try {
                assertThat(orders.encode(orders.decode(text))).isEqualTo(text);
                read++;
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageStartingWith("Not ");
            }
        }
        assertThat(read).isLessThanOrEqualTo(1);
    }

    @Property(tries = 8)
    void everySingleWrongSymbolIsNoticed(@ForAll long number) {
        String text = orders.encode(number);
        for (int i = 4; i < text.length(); i++) {
            for (char c : SYMBOLS.toCharArray()) {
                if (c != text.charAt(i)) {
                    mistyped(text.substring(0, i) + c + text.substring(i + 1));
                }
            }
        }
    }

    @Property(tries = 100)
    void everyExchangeOfNeighboursIsNoticed(@ForAll long number) {
        String text = orders.encode(number);
        for (int i = 4; i < text.length() - 1; i++) {
            if (text.charAt(i) != text.charAt(i + 1)) {
                mistyped(text.substring(0, i) + text.charAt(i + 1) + text.charAt(i) + text.substring(i + 2));
            }
        }
    }

    /** All pairs of symbols at all places, not only those that turn up. */
    @Test
    void theCheckSymbolNoticesEveryPair() {
        Random random = new Random(2);
        for (int at = 0; at < 12; at++) {
            for (int one = 0; one < 58; one++) {
                for (int other = 0; other < 58; other++) {
                    int[] values = random.ints(13, 0, 58).toArray();
                    values[at] = one;
                    values[at + 1] = at == 11 ? values[at + 1] : other;
                    CheckSymbol.complete(values);
                    assertThat(CheckSymbol.isComplete(values)).isTrue();
                    int first = values[at];
                    values[at] = values[at + 1];
                    values[at + 1] = first;
                    assertThat(CheckSymbol.isComplete(values)).isEqualTo(values[at] == first);
                }
            }
        }
    }

    @Test
    void refusesWhatIsNone() {
        String text = orders.encode(42);
        refuses(text.substring(0, 16), "cut off");
        refuses(text + "1", "cut off, or added");
        refuses("", "not begin with ord_");
        refuses("ord_", "cut off");
        refuses(text.substring(4), "not begin with ord_");
        refuses("usr" + text.substring(3), "not begin with ord_");
        refuses("Ord" + text.substring(3), "not begin with ord_");
        refuses("ord-" + text.substring(4), "not begin with ord_");
        refuses(" " + text, "not begin with ord_");
        refuses(text.substring(0, 16) + "0", "'0'");
        refuses(text.substring(0, 16) + "é", "'é'");
        refuses(text.substring(0, 16) + "\n", "has '");
    }

    @Test
    void refusesANumberOver64Bits() {
        int[] values = new int[13];
        Arrays.fill(values, 57);
        values[0] = 1;
        CheckSymbol.complete(values);
        StringBuilder text = new StringBuilder("ord_");
        for (int value : values) {
            text.append(SYMBOLS.charAt(value));
        }
        refuses(text.toString(), "over 64 bits");
    }

    @Test
    void keysRotate() {
        String old = orders.encode(7);
        PublicId ready = PublicId.builder("ord")
                .key(1, key(1))
                .key(2, key(2))
                .writeWith(1)
                .build();
        PublicId rotated = PublicId.builder("ord").key(1, key(1)).key(2, key(2)).build();
        PublicId done = PublicId.builder("ord").key(2, key(2)).build();
        String young = rotated.encode(7);
        assertThat(ready.encode(7)).isEqualTo(old);
        assertThat(young).isNotEqualTo(old).startsWith("ord_3");
        assertThat(List.of(ready.decode(young), rotated.decode(young), done.decode(young), rotated.decode(old)))
                .containsOnly(7L);
        assertThatThrownBy(() -> done.decode(old)).hasMessageContaining("key 1, which is not known");
        assertThatThrownBy(() -> orders.decode(young)).hasMessageContaining("key 2, which is not known");
    }

    @Test
    void prefixAndKeyAndVersionAreBoundIn() {
        Set<String> bodies = new HashSet<>();
        for (String prefix : List.of("ord", "usr", "or", "ord_x")) {
            for (int version : new int[] {1, 2}) {
                for (int key : new int[] {1, 2}) {
                    PublicId ids =
                            PublicId.builder(prefix).key(version, key(key)).build();
                    assertThat(bodies.add(ids.encode(5).substring(prefix.length() + 2, prefix.length() + 13)))
                            .isTrue();
                }
            }
        }
    }

    @Test
    void aKeyIsGivenInEitherForm() {
        SecretKey secret = new SecretKeySpec(key(1), "AES");
        assertThat(PublicId.builder("ord").key(1, secret).build().encode(5)).isEqualTo(orders.encode(5));
        byte[] bytes = key(1);
        PublicId.Builder builder = PublicId.builder("ord").key(1, bytes);
        Arrays.fill(bytes, (byte) 0);
        PublicId ids = builder.build();
        assertThat(ids.encode(5)).isEqualTo(orders.encode(5));
        assertThat(ids).hasToString("ord_…, keys [1], written with 1");
        assertThat(ids.prefix()).isEqualTo("ord");
    }

    @Test
    void refusesWhatCannotBe() {
        PublicId.Builder builder = PublicId.builder("ord");
        assertThatThrownBy(builder::build).hasMessageContaining("Add a key");
        assertThatThrownBy(() -> builder.key(1, new byte[16])).hasMessageContaining("32 bytes, not 16");
        assertThatThrownBy(() -> builder.key(1, new byte[33])).hasMessageContaining("32 bytes, not 33");
        assertThatThrownBy(() -> builder.key(-1, key(1))).hasMessageContaining("0 to 57");
        assertThatThrownBy(() -> builder.key(58, key(1))).hasMessageContaining("0 to 57");
        builder.key(1, key(1)).key(1, key(1));
        assertThatThrownBy(() -> builder.key(1, key(2))).hasMessageContaining("another key of version 1");
        assertThatThrownBy(() -> builder.writeWith(3).build()).hasMessageContaining("the key of version 3");
        assertThat(PublicId.builder("ord").key(57, key(1)).build().encode(0)).startsWith("ord_z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Ord", "ord1", "ord-", "_ord", "ord_", "örd"})
    void refusesABadPrefix(String prefix) {
        assertThatThrownBy(() -> PublicId.builder(prefix)).isInstanceOf(IllegalArgumentException.class);
    }

    /**
     * Changing any bit of the number changes each bit of the permuted one half the time: 64 × 64 cells of 2 000
     * samples.
     */
    @Test
    void everyBitDependsOnEveryBit() {
        int samples = 2000;
        Feistel permutation = new Feistel(key(3));
        int[][] flips = new int[64][64];
        for (int i = 0; i < samples; i++) {
            long image = permutation.encrypt(i);
            for (int in = 0; in < 64; in++) {
                long changed = image ^ permutation.encrypt(i ^ 1L << in);
                for (int out = 0; out < 64; out++) {
                    flips[in][out] += (int) (changed >>> out & 1);
                }
            }
        }
        // Half, with a standard deviation of 22: 5.5 of them, which random flips do in one of 6 000 such tables.
        for (int[] row : flips) {
            assertThat(Arrays.stream(row)).allMatch(n -> Math.abs(n - samples / 2) < 123);
        }
    }

    @Test
    void consecutiveNumbersShowNoOrder() {
        int count = 20_000;
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            texts.add(orders.encode(1_000_000 + i));
        }
        int rises = 0;
        for (int i = 1; i < count; i++) {
            rises += texts.get(i).compareTo(texts.get(i - 1)) > 0 ? 1 : 0;
        }
        // The number of rises in a random order has the variance (n + 1) / 12.
        assertThat((double) rises).isBetween(count / 2 - 5 * 40.8, count / 2 + 5 * 40.8);
        assertThat(new HashSet<>(texts)).hasSize(count);
    }

    /**
     * The first symbols of consecutive numbers, which are where order or volume would be read off, are as often each as
     * those of random 64-bit numbers are: 42 whole steps of 58¹⁰ and a part of one. χ² of 42 degrees has a mean of 42,
     * and is over 90 once in 30 000 times.
     */
    @Test
    void leadingSymbolsAreUniform() {
        int count = 50_000;
        int[] first = new int[58];
        int[] second = new int[58];
        for (int i = 0; i < count; i++) {
            String text = orders.encode(i);
            first[SYMBOLS.indexOf(text.charAt(5))]++;
            second[SYMBOLS.indexOf(text.charAt(6))]++;
        }
        double whole = Math.pow(58, 10) / Math.pow(2, 64);
        double chiSquare = 0;
        for (int i = 0; i < 43; i++) {
            double expected = count * (i < 42 ? whole : 1 - 42 * whole);
            chiSquare += (first[i] - expected) * (first[i] - expected) / expected;
        }
        assertThat(Arrays.stream(first, 43, 58)).containsOnly(0);
        assertThat(chiSquare).isLessThan(90);
        double chiSquareOfSecond = 0;
        for (int i = 0; i < 58; i++) {
            double expected = count / 58.0; // but for the last, partial step: under 2 % off
            chiSquareOfSecond += (second[i] - expected) * (second[i] - expected) / expected;
        }
        assertThat(chiSquareOfSecond).isLessThan(115);
    }

    @Test
    void manyThreadsGetWhatOneGets() throws Exception {
        String[] expected = new String[500];
        for (int i = 0; i < expected.length; i++) {
            expected[i] = orders.encode(i);
        }
        ExecutorService threads = Executors.newFixedThreadPool(40); // more than there are slots
        try {
            List<Future<Boolean>> all = new ArrayList<>();
            for (int t = 0; t < 40; t++) {
                Callable<Boolean> check = () -> {
                    for (int i = 0; i < expected.length; i++) {
                        if (!orders.encode(i).equals(expected[i]) || orders.decode(expected[i]) != i) {
                            return false;
                        }
                    }
                    return true;
                };
                all.add(threads.submit(check));
            }
            for (Future<Boolean> one : all) {
                assertThat(one.get()).isTrue();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void mistyped(String text) {
        refuses(text, "mistyped");
    }

    private void refuses(String text, String why) {
        assertThatThrownBy(() -> orders.decode(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    private static byte[] key(int seed) {
        byte[] key = new byte[PublicId.KEY_BYTES];
        new Random(seed).nextBytes(key);
        return key;
    }
}
