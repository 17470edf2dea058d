package dev.tenon.server.locks;

import dev.tenon.server.access.Limits;

/**
 * How many there are of what a server has only so much room for, over whatever interface they came.
 *
 * @param sessions that were opened here and are not over
 * @param waiters requests that wait for a lock here
 */
public record Crowds(Crowd sessions, Crowd waiters) {
    /** Nobody yet, and no more than these limits say. */
    public static Crowds within(Limits limits) {
        return new Crowds(Crowd.ofSessions(limits), Crowd.ofWaiters(limits));
    }
}
