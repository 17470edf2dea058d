package dev.tenon.testkit.duplicates;

/**
 * A set of numbers for tests that count duplicates among a thousand million IDs: exact, and small where numbers lie
 * close together, as those of a generator do. It is a bitmap, of which only the words with a bit in them are kept, in a
 * hash table: 16 bytes for each stretch of 64 numbers from a multiple of 64, two to four times that while it is half
 * full or grows. A thousand million IDs that leave few gaps take some 800 MB; the same number at random, a hundred
 * times as much.
 *
 * <p>Not thread-safe.
 */
public final class ExactIdSet {
    private static final int WORD_BITS = 6;
    private static final int CAPACITY_FIRST = 1 << 10;
    private static final int CAPACITY_MAX = 1 << 29;
    /** 2⁶⁴ divided by the golden ratio: neighbours end up far apart. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private long[] keys = new long[CAPACITY_FIRST];
    /** Whether a place is free is told by its word: no kept word is zero. */
    private long[] words = new long[CAPACITY_FIRST];

    private int used;
    private int latest;
    private long size;

    /** An empty set. */
    public ExactIdSet() {}

    /**
     * Adds a number.
     *
     * @return false if it was there already: a duplicate
     * @throws IllegalStateException if there is no room for more than 400 million words
     */
    public boolean add(long id) {
        int place = place(id >> WORD_BITS);
        long bit = 1L << id;
        long before = words[place];
        if ((before & bit) != 0) {
            return false;
        }
        if (before == 0) {
            if (used >= keys.length / 4 * 3) {
                grow();
                place = place(id >> WORD_BITS);
            }
            keys[place] = id >> WORD_BITS;
            used++;
        }
        words[place] |= bit;
        latest = place;
        size++;
        return true;
    }

    /** Whether a number was added. */
    public boolean contains(long id) {
        return (words[place(id >> WORD_BITS)] & 1L << id) != 0;
    }

    /** How many different numbers were added. */
    public long size() {
        return size;
    }

    /** Where a word is, or would be. */
    private int place(long key) {
        if (keys[latest] == key && words[latest] != 0) {
            return latest; // the neighbour of the last one, most of the time
        }
        int mask = keys.length - 1;
        int place = (int) (key * SPREAD >>> Long.SIZE - Integer.SIZE) & mask;
        while (words[place] != 0 && keys[place] != key) {
            place = place + 1 & mask;
        }
        return place;
    }

    private void grow() {
        if (keys.length == CAPACITY_MAX) {
            throw new IllegalStateException("No room for more than " + used + " stretches of 64 numbers");
        }
        long[] oldKeys = keys;
        long[] oldWords = words;
        keys = new long[oldKeys.length * 2];
        words = new long[oldKeys.length * 2];
        latest = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldWords[i] != 0) {
                int place = place(oldKeys[i]);
                keys[place] = oldKeys[i];
                words[place] = oldWords[i];
            }
        }
    }
}
