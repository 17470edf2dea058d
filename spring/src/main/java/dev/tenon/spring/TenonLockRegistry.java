package dev.tenon.spring;

import dev.tenon.lock.Locks;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Spring Integration's locks: those of {@link Locks} under the prefix {@value #PREFIX}, reentrant and owned by threads,
 * with leases that are renewed. A key has one lock as long as anybody has a reference to it, and nothing of it stays
 * after that. Thread-safe.
 */
final class TenonLockRegistry implements LockRegistry<Lock> {
    /** Keeps them apart from locks that have names of the application's own. */
    static final String PREFIX = "integration:";

    /** The longest key that is written out; of longer ones, such as paths, it is the hash. */
    static final int WRITTEN_OUT_MAX = 180;

    private final Locks locks;
    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final ReferenceQueue<Lock> gone = new ReferenceQueue<>();

    /** @param locks where they are */
    TenonLockRegistry(Locks locks) {
        this.locks = locks;
    }

    /** A lock that was given out. */
    private static final class Known extends WeakReference<Lock> {
        private final String name;

        Known(String name, Lock lock, ReferenceQueue<Lock> gone) {
            super(lock, gone);
            this.name = name;
        }
    }

    /**
     * The lock of a key: of equal texts ({@link Object#toString}) the same one.
     *
     * @throws IllegalArgumentException if the key is null, or has no text of its own
     */
    @Override
    public Lock obtain(@Nullable Object key) {
        if (key == null || !LockedMethods.hasText(key)) {
            throw new IllegalArgumentException("The key of a lock is "
                    + (key == null ? "null" : "a " + key.getClass().getName() + ", which has no text of its own"));
        }
        String text = key.toString();
        String name = PREFIX + (text.length() > WRITTEN_OUT_MAX ? hash(text) : text);
        forgetUnused();
        Lock fresh = locks.lock(name).asJavaLock();
        while (true) {
            Known before = known.putIfAbsent(name, new Known(name, fresh, gone));
            Lock lock = before == null ? fresh : before.get();
            if (lock != null) {
                return lock;
            }
            known.remove(name, before);
        }
    }

    private void forgetUnused() {
        for (Object each = gone.poll(); each != null; each = gone.poll()) {
            Known unused = (Known) each;
            known.remove(unused.name, unused);
        }
    }

    /** How many keys have a lock that somebody may still have a reference to. */
    int size() {
        forgetUnused();
        return known.size();
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return "sha256:" + HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every JDK has it
        }
    }
}
