package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.codec.PublicId;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The keys of public IDs. They are secrets of the store: whoever can read the store can read the numbers behind public
 * texts, and could read the numbers themselves there. All servers over a store so share them without being told, and a
 * key is never changed or removed: the next version is added behind it, and writes from then on. Thread-safe.
 */
final class PublicKeys {
    /** Where version N is kept: no name of IDs has a slash in it. */
    private static final String KEY = "/public-key/";

    /** How long another server's new key may go unnoticed here. */
    private static final Duration FRESH = Duration.ofSeconds(30);

    private final SecureRandom random = new SecureRandom();
    private final Supplier<DefinitionStore> store;
    private final TimeSource time;
    private volatile @Nullable Loaded loaded;

    PublicKeys(Supplier<DefinitionStore> store, TimeSource time) {
        this.store = store;
        this.time = time;
    }

    private static final class Loaded {
        private final TreeMap<Integer, byte[]> keys;
        private final long nanos;
        private final Map<String, PublicId> types = new ConcurrentHashMap<>();

        private Loaded(TreeMap<Integer, byte[]> keys, long nanos) {
            this.keys = keys;
            this.nanos = nanos;
        }

        private PublicId of(String type) {
            return types.computeIfAbsent(type, t -> {
                PublicId.Builder builder = PublicId.builder(t);
                keys.forEach(builder::key);
                return builder.build();
            });
        }
    }

    /**
     * Checks a type.
     *
     * @throws IllegalArgumentException if it can't stand before a public ID
     */
    static void requireType(String type) {
        PublicId.builder(type);
    }

    /** Whether texts can be written without a question to the store. */
    boolean fresh() {
        Loaded now = loaded;
        return now != null && time.nanoTime() - now.nanos < FRESH.toNanos();
    }

    /** The texts of numbers. May block unless {@link #fresh}. */
    List<String> texts(String type, long[] numbers) {
        PublicId id = (fresh() ? current() : load()).of(type);
        return LongStream.of(numbers).mapToObj(id::encode).toList();
    }

    /**
     * The number of a text. May block.
     *
     * @throws IllegalArgumentException if it is none of this type and these keys
     */
    long number(String type, String text) {
        Loaded before = current();
        try {
            return before.of(type).decode(text);
        } catch (IllegalArgumentException e) {
            Loaded now = load();
            if (now.keys.size() == before.keys.size()) {
                throw e;
            }
            return now.of(type).decode(text);
        }
    }

    /** Adds a key, which writes from now on; every older one still reads. May block. The new version. */
    int rotate() {
        int next = load().keys.lastKey() + 1;
        if (next > PublicId.VERSION_MAX) {
            throw new ProblemException(
                    ProblemType.BAD_REQUEST,
                    "There have been " + next + " keys, and a text has room for the version of no more.");
        }
        store.get().putIfAbsent(KEY + next, fresh256());
        return load().keys.lastKey();
    }

    private Loaded current() {
        Loaded now = loaded;
        return now == null ? load() : now;
    }

    private Loaded load() {
        long nanos = time.nanoTime();
        DefinitionStore definitions = store.get();
        Loaded before = loaded;
        TreeMap<Integer, byte[]> keys = before == null ? new TreeMap<>() : new TreeMap<>(before.keys);
        if (keys.isEmpty()) {
            keys.put(0, bytes(definitions.find(KEY + 0).orElseGet(() -> definitions.putIfAbsent(KEY + 0, fresh256()))));
        }
        for (int version = keys.lastKey() + 1; version <= PublicId.VERSION_MAX; version++) {
            Optional<String> more = definitions.find(KEY + version);
            if (more.isEmpty()) {
                break;
            }
            keys.put(version, bytes(more.get()));
        }
        Loaded now = new Loaded(keys, nanos);
        loaded = now;
        return now;
    }

    private String fresh256() {
        byte[] key = new byte[PublicId.KEY_BYTES];
        random.nextBytes(key);
        return Base64.getEncoder().encodeToString(key);
    }

    private static byte[] bytes(String text) {
        return Base64.getDecoder().decode(text);
    }
}
