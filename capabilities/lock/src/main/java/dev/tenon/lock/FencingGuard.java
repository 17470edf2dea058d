package dev.tenon.lock;

import dev.tenon.Names;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses requests of holders whose lease is over: it keeps the greatest fencing token that it has seen of each
 * resource, and lets none in that shows a smaller one. For a servlet filter or a {@code com.sun.net.httpserver.Filter}
 * in front of what a lock protects; {@link #HEADER} carries the token.
 *
 * <p><b>What it promises:</b> after a token was let in, no smaller one of that resource ever is, for as long as this
 * object lives. Equal ones are: a holder may send more than one request.
 *
 * <p><b>What it does not:</b>
 *
 * <ul>
 *   <li>It decides at the door. A request that was let in may still be at work when the next holder's comes. Where that
 *       matters, check in the transaction that writes (SQL) or in the store (Redis).
 *   <li>Its memory is that of one object: another instance of the service, or the same one after a restart, has seen
 *       nothing.
 *   <li>It remembers a bounded number of resources. Of those forgotten, the ones used least recently, it keeps the
 *       greatest token, and demands that much of every resource that it does not know. So it lets no old holder in, but
 *       may refuse one who has held another lock for very long; he has to take his lock anew. All tokens must be of one
 *       store.
 * </ul>
 *
 * <p>The idea is that of Burrows, "The Chubby lock service" (OSDI 2006), 2.4: a sequencer that servers check.
 * Thread-safe; no call waits for anything but other calls.
 */
public final class FencingGuard {
    /** The header of a request that carries the token, as a decimal number. */
    public static final String HEADER = "X-Fencing-Token";

    /** The greatest number of resources that a guard can remember. */
    public static final int RESOURCES_MAX = 10_000_000;

    private static final Pattern TOKEN = Pattern.compile("[1-9][0-9]{0,18}");

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Long> greatest = new LinkedHashMap<>(16, 0.75f, true);
    private final int resourcesMax;
    private long greatestForgotten;

    private FencingGuard(int resourcesMax) {
        this.resourcesMax = resourcesMax;
    }

    /**
     * A guard that has seen nothing yet.
     *
     * @param resourcesMax how many resources it remembers, 1 to {@link #RESOURCES_MAX}; one takes some hundred bytes
     */
    public static FencingGuard remembering(int resourcesMax) {
        if (resourcesMax < 1 || resourcesMax > RESOURCES_MAX) {
            throw new IllegalArgumentException(
                    "A guard remembers 1 to " + RESOURCES_MAX + " resources, not " + resourcesMax);
        }
        return new FencingGuard(resourcesMax);
    }

    /**
     * Lets a token in, and no smaller one of this resource from now on.
     *
     * @param resource a name ({@link Names}), such as that of the lock
     * @param token of the holder's lease, above 0
     * @throws StaleTokenException if a greater one has been let in
     * @throws IllegalArgumentException if that is no name, or no token
     */
    public void check(String resource, long token) {
        Names.requireValid("resource name", resource);
        if (token <= 0) {
            throw new IllegalArgumentException("No fencing token: " + token);
        }
        lock.lock();
        try {
            long seen = greatest.getOrDefault(resource, greatestForgotten);
            if (token < seen) {
                throw new StaleTokenException(resource, token, seen);
            }
            greatest.put(resource, token);
            if (greatest.size() > resourcesMax) {
                forgetOne();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * As {@link #check(String, long)}, of the header as it came.
     *
     * @param header the value of {@link #HEADER}; null if the request has none
     * @throws StaleTokenException if a greater token has been let in: say 412 (Precondition Failed, RFC 9110, 15.5.13)
     * @throws IllegalArgumentException if there is no header, or it is no token: say 400
     */
    public void check(String resource, @Nullable String header) {
        check(resource, token(header));
    }

    private static long token(@Nullable String header) {
        if (header == null) {
            throw new IllegalArgumentException("The header " + HEADER + " is missing");
        }
        String text = header.strip();
        if (TOKEN.matcher(text).matches()) {
            try {
                return Long.parseLong(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException(HEADER + " is greater than any token", e);
            }
        }
        throw new IllegalArgumentException(HEADER + " is no decimal number of 1 to 19 digits above 0");
    }

    private void forgetOne() {
        Iterator<Long> leastRecent = greatest.values().iterator();
        greatestForgotten = Math.max(greatestForgotten, leastRecent.next());
        leastRecent.remove();
    }
}
