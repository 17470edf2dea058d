package dev.tenon.lock.spi;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A lock as its store sees it at one moment.
 *
 * @param name of the lock
 * @param token the greatest fencing token that this name is known to have had
 * @param holder who holds it, if anybody does
 * @param queue who waits for it, the next one first
 */
public record LockView(String name, long token, Optional<HolderView> holder, List<WaiterView> queue) {
    public LockView {
        queue = List.copyOf(queue);
    }

    /** Whether {@code token} is the one under which the lock is held at this moment (Chubby's CheckSequencer). */
    public boolean isHeldUnder(long token) {
        return holder.isPresent() && holder.get().token() == token;
    }

    /**
     * A holder.
     *
     * @param sessionId to which it belongs
     * @param owner as it called itself
     * @param token under which it holds
     * @param since when it was granted, by the store's clock
     * @param leaseLeft how long it still holds without a renewal, by the store's clock
     */
    public record HolderView(String sessionId, String owner, long token, Instant since, Duration leaseLeft) {}

    /**
     * A waiter.
     *
     * @param sessionId to which it belongs
     * @param owner as it called itself
     * @param since when it was queued, by the store's clock
     * @param waitLeft how long it is still willing to wait, by the store's clock
     */
    public record WaiterView(String sessionId, String owner, Instant since, Duration waitLeft) {}
}
