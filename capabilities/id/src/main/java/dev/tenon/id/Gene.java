package dev.tenon.id;

/**
 * Where an ID says to which shard it belongs: in its lowest bits, which are its <em>gene</em>. The number of a shard is
 * the gene itself, 0 to 2ⁿ − 1; with fewer databases than that, take it modulo their number, a power of two, so that
 * they can be doubled later without renumbering. Immutable; routers need this alone, and no generator.
 *
 * <p>The gene of a key is a stated function that no version of Tenon changes, so that others can compute it too:
 *
 * <ul>
 *   <li>of a number: the lowest bits of MurmurHash3's 64-bit finalizer of it ({@code x ^= x >>> 33; x *=
 *       0xff51afd7ed558ccd; x ^= x >>> 33; x *= 0xc4ceb9fe1a85ec53; x ^= x >>> 33}; Appleby, public domain),
 *   <li>of text: the same of its 64-bit FNV-1a hash (Fowler, Noll and Vo; RFC 9923) over UTF-8.
 * </ul>
 *
 * A number and the text of its digits are different keys. Keys of a caller's own choosing can be made to fall on one
 * shard: this is not a keyed hash.
 *
 * @param bits how many, 1 to {@value #BITS_MAX}
 */
public record Gene(int bits) {
    /** The most bits. */
    public static final int BITS_MAX = 16;

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    public Gene {
        if (bits < 1 || bits > BITS_MAX) {
            throw new IllegalArgumentException("A gene has 1 to " + BITS_MAX + " bits: " + bits);
        }
    }

    /** How many shards the gene tells apart. */
    public int shards() {
        return 1 << bits;
    }

    /** The shard of a key. */
    public int shardFor(long key) {
        long hash = key;
        hash = (hash ^ hash >>> 33) * 0xff51afd7ed558ccdL;
        hash = (hash ^ hash >>> 33) * 0xc4ceb9fe1a85ec53L;
        return shardOf(hash ^ hash >>> 33);
    }

    /** The shard of a key. Half of a surrogate pair without the other counts as U+FFFD. */
    public int shardFor(CharSequence key) {
        long hash = FNV_OFFSET;
        for (int i = 0; i < key.length(); ) {
            int point = Character.codePointAt(key, i);
            i += Character.charCount(point);
            hash = utf8(hash, point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE ? 0xfffd : point);
        }
        return shardFor(hash);
    }

    /** The shard that an ID carries. */
    public int shardOf(long id) {
        return (int) (id & mask());
    }

    /** What an ID is without its gene: the ID of the generator underneath, which its layout can decode. */
    public long without(long id) {
        return id >> bits;
    }

    /** The greatest ID that has room for a gene. */
    long roomMax() {
        return Long.MAX_VALUE >> bits;
    }

    /** An ID with the gene of a shard. */
    long with(long id, int shard) {
        return id << bits | shard;
    }

    private long mask() {
        return IdLayout.mask(bits);
    }

    private static long utf8(long hash, int point) {
        if (point < 0x80) {
            return fnv(hash, point);
        }
        if (point < 0x800) {
            return fnv(fnv(hash, 0xc0 | point >> 6), last(point));
        }
        if (point < 0x10000) {
            return fnv(fnv(fnv(hash, 0xe0 | point >> 12), last(point >> 6)), last(point));
        }
        return fnv(fnv(fnv(fnv(hash, 0xf0 | point >> 18), last(point >> 12)), last(point >> 6)), last(point));
    }

    private static int last(int bits) {
        return 0x80 | bits & 0x3f;
    }

    private static long fnv(long hash, int octet) {
        return (hash ^ octet) * FNV_PRIME;
    }
}
