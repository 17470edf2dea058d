package dev.tenon.id.codec;

/**
 * One symbol of base 58 after others, such that every single wrong symbol and every exchange of two neighbours is
 * noticed (whichever they are, the check symbol included). A weighted sum can't do that in an even base. A product in
 * the dihedral group of the same order can: Verhoeff, "Error Detecting Decimal Codes", 1969; Gumm, "A new class of
 * check-digit methods for arbitrary number systems", IEEE Transactions on Information Theory 31, 1985.
 *
 * <p>The symbols 0 to 28 stand for the rotations of a polygon with 29 corners, 29 to 57 for its reflections. The symbol
 * at place i is first turned i times by a permutation T: rotation a becomes 1 − a, reflection a becomes a + 1. The
 * product of all, the check symbol included, is 1. It works since x·T(y) ≠ y·T(x) whenever x ≠ y. Stateless.
 */
final class CheckSymbol {
    private static final int CORNERS = 29;

    private CheckSymbol() {}

    /** The symbol that makes {@code values}, all but the last of which are given, complete; put at the last place. */
    static void complete(int[] values) {
        int last = values.length - 1;
        int product = product(values, last);
        values[last] = turn(inverse(product), -last);
    }

    /** Whether the last symbol belongs to the others. */
    static boolean isComplete(int[] values) {
        return product(values, values.length) == 0;
    }

    private static int product(int[] values, int count) {
        int product = 0;
        for (int i = 0; i < count; i++) {
            product = multiply(product, turn(values[i], i));
        }
        return product;
    }

    private static int multiply(int one, int other) {
        boolean reflection = one >= CORNERS;
        int angle = Math.floorMod(reflection ? one - other : one + other, CORNERS);
        return reflection == other >= CORNERS ? angle : angle + CORNERS;
    }

    private static int inverse(int value) {
        return value >= CORNERS ? value : Math.floorMod(-value, CORNERS);
    }

    /** T, {@code times} times over; its inverse if negative. */
    private static int turn(int value, int times) {
        if (value >= CORNERS) {
            return Math.floorMod(value + times, CORNERS) + CORNERS;
        }
        return (times & 1) == 0 ? value : Math.floorMod(1 - value, CORNERS);
    }
}
