package dev.tenon.lock.spi;

import java.util.Collection;

/**
 * In which way a lock is held or wanted.
 *
 * <table>
 *   <caption>Who may hold together</caption>
 *   <tr><th></th><th>exclusive</th><th>shared</th><th>update</th><th>permits</th></tr>
 *   <tr><th>exclusive</th><td>no</td><td>no</td><td>no</td><td>no</td></tr>
 *   <tr><th>shared</th><td>no</td><td>yes</td><td>yes</td><td>no</td></tr>
 *   <tr><th>update</th><td>no</td><td>yes</td><td>no</td><td>no</td></tr>
 *   <tr><th>permits</th><td>no</td><td>no</td><td>no</td><td>while there are enough</td></tr>
 * </table>
 *
 * <p>An update holder reads beside readers, and is the only one that may become exclusive without letting go (Gray and
 * Reuter, "Transaction Processing", 1993, 7.8.2): two readers who both waited for the other to leave would wait for
 * ever.
 *
 * @param kind which of the four
 * @param permits how many permits of a semaphore; 0 for the other kinds
 * @param max how many permits there are, as the asker knows it; 0 for the other kinds. While askers disagree, as in a
 *     rolling change of the number, each keeps to its own
 */
public record LockMode(Kind kind, int permits, int max) {
    /** The most permits of a semaphore. */
    public static final int PERMITS_MAX = 1_000_000;

    /** One holder, and nobody beside it. */
    public static final LockMode EXCLUSIVE = new LockMode(Kind.EXCLUSIVE, 0, 0);

    /** Any number of holders. */
    public static final LockMode SHARED = new LockMode(Kind.SHARED, 0, 0);

    /** One holder beside shared ones. */
    public static final LockMode UPDATE = new LockMode(Kind.UPDATE, 0, 0);

    /** The kinds of modes. */
    public enum Kind {
        /** One holder, and nobody beside it. */
        EXCLUSIVE,
        /** Any number of holders. */
        SHARED,
        /** One holder beside shared ones. */
        UPDATE,
        /** Holders of some of a number of permits. */
        PERMITS
    }

    public LockMode {
        boolean counted = kind == Kind.PERMITS;
        if (counted && (permits < 1 || max > PERMITS_MAX || permits > max) || !counted && (permits | max) != 0) {
            throw new IllegalArgumentException("Permits must be between 1 and their number, at most " + PERMITS_MAX
                    + ": " + permits + " of " + max);
        }
    }

    /**
     * Some permits of a semaphore.
     *
     * @param permits how many, 1 or more
     * @param max how many there are, at least {@code permits} and at most {@value #PERMITS_MAX}
     */
    public static LockMode permits(int permits, int max) {
        return new LockMode(Kind.PERMITS, permits, max);
    }

    /** Whether one that wants this may hold beside those who hold {@code held}. */
    public boolean fitsBeside(Collection<LockMode> held) {
        long taken = permits;
        for (LockMode other : held) {
            boolean together = switch (kind) {
                case EXCLUSIVE -> false;
                case SHARED -> other.kind == Kind.SHARED || other.kind == Kind.UPDATE;
                case UPDATE -> other.kind == Kind.SHARED;
                case PERMITS -> other.kind == Kind.PERMITS;
            };
            if (!together) {
                return false;
            }
            taken += other.permits;
        }
        return kind != Kind.PERMITS || taken <= max;
    }

    /** Whether a holder of this may turn it into {@code other} without letting go: up from update, and always down. */
    public boolean convertsTo(LockMode other) {
        return switch (kind) {
            case EXCLUSIVE -> other.kind == Kind.UPDATE || other.kind == Kind.SHARED;
            case UPDATE -> other.kind == Kind.EXCLUSIVE || other.kind == Kind.SHARED;
            case SHARED, PERMITS -> false;
        };
    }
}
