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
 * @param holders who hold it, in the order of their grants
 * @param queue who waits for it, the next one first
 */
public record LockView(String name, long token, List<HolderView> holders, List<WaiterView> queue) {
    public LockView {
        holders = List.copyOf(holders);
        queue = List.copyOf(queue);
    }

    /** Who holds it, and has done so for longest; the only holder of an exclusive lock. */
    public Optional<HolderView> holder() {
        return holders.stream().findFirst();
    }

    /**
     * Whether {@code token} is one under which the lock is held at this moment (Chubby's CheckSequencer): any of the
     * {@link LockMachine#TOKEN_STRIDE} that came with a grant. Which of its threads a process has handed the lock on
     * to, and so which of them is the present one, no store knows.
     */
    public boolean isHeldUnder(long token) {
        return holderUnder(token).isPresent();
    }

    /** Who holds it under {@code token}, which may be any of those that came with the grant. */
    public Optional<HolderView> holderUnder(long token) {
        return holders.stream()
                .filter(holder -> LockMachine.isOfBlock(holder.token(), token))
                .findFirst();
    }

    /**
     * A holder.
     *
     * @param sessionId to which it belongs
     * @param owner as it called itself when it was granted
     * @param token under which it holds: the first of those that came with the grant
     * @param since when it was granted, by the store's clock
     * @param leaseLeft how long it still holds without a renewal, by the store's clock
     * @param mode in which it holds
     * @param revokedBy who asked it to let go, if somebody did
     */
    public record HolderView(
            String sessionId,
            String owner,
            long token,
            Instant since,
            Duration leaseLeft,
            LockMode mode,
            Optional<String> revokedBy) {}

    /**
     * A waiter.
     *
     * @param sessionId to which it belongs
     * @param owner as it called itself
     * @param since when it was queued, by the store's clock
     * @param waitLeft how long it is still willing to wait, by the store's clock
     * @param mode that it waits for
     */
    public record WaiterView(String sessionId, String owner, Instant since, Duration waitLeft, LockMode mode) {}
}
