package dev.tenon.lock.spi;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store that takes several locks in one step and one round trip. Thread-safe. */
public interface MultiLockStore extends LockStore {
    /** The most locks at once. */
    int NAMES_MAX = 100;

    /**
     * Takes every one of these locks, or none. Nobody is queued: a {@link Acquire#waitTime} counts for nothing. A
     * request that holds already counts as granted, so that the call can be repeated after a lost reply.
     *
     * @param requests 1 to {@value #NAMES_MAX}, of different names, by one session
     * @return {@link Outcome.Granted} for every request, in their order; or one answer that is not: that of the first
     *     request that could not be granted
     */
    CompletionStage<List<Outcome>> acquireAll(List<Acquire> requests);

    /** Returns {@code requests} if they can be asked for at once. */
    static List<Acquire> requireTogether(List<Acquire> requests) {
        long names = requests.stream().map(Acquire::name).distinct().count();
        long sessions = requests.stream().map(Acquire::sessionId).distinct().count();
        if (requests.isEmpty() || requests.size() > NAMES_MAX || names < requests.size() || sessions != 1) {
            throw new IllegalArgumentException("One session can take 1 to " + NAMES_MAX
                    + " locks of different names at once, not " + requests.size() + " of " + names + " names by "
                    + sessions + " sessions");
        }
        return List.copyOf(requests);
    }
}
