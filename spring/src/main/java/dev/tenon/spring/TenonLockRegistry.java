package dev.tenon.spring;

import dev.tenon.lock.Locks;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Spring Integration's locks: those of {@link Locks} under the prefix {@value #PREFIX}, reentrant and owned by threads, with leases
 * that are renewed. Nothing of a lock stays that nobody holds or waits for. Thread-safe.
 *
 * @param locks where they are
 */
record TenonLockRegistry(Locks locks) implements LockRegistry<Lock> {
    /** Keeps them apart from locks that have names of the application's own. */
    static final String PREFIX = "integration:";

    /** The longest key that is written out; of longer ones, such as paths, it is the hash. */
    static final int WRITTEN_OUT_MAX = 180;

    @Override
    public Lock obtain(Object key) {
        if (!LockedMethods.hasText(key)) {
            throw new IllegalArgumentException(
                    "The key of a lock is a " + key.getClass().getName() + ", which has no text of its own");
        }
        String text = key.toString();
        return locks.lock(PREFIX + (text.length() > WRITTEN_OUT_MAX ? hash(text) : text))
                .asJavaLock();
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
