package dev.tenon.lock;

import dev.tenon.lock.spi.LockMachine;
import java.util.concurrent.TimeUnit;

/**
 * One grant of the store as it goes from thread to thread inside a process, without a round trip. The series is
 * bounded, so that other processes get their turn: then the lock goes back to the store.
 *
 * @param storeToken under which the store has the hold, whoever of this process it belongs to: the first of its block
 * @param sinceNanos when the store's grant came, on the process's monotonic clock
 * @param hands through how many hands it has gone since
 * @param losses {@link Renewals#losses} when it came: if that has grown, what was held then is lost
 */
record HandOver(long storeToken, long sinceNanos, int hands, long losses) {
    /** The most hand-overs of one grant: each needs a token of its own, and one is the first holder's. */
    static final int HANDS_MAX = LockMachine.TOKEN_STRIDE - 1;

    /** How long one grant is handed on at most. */
    static final long NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(100);

    /** Whether the next in line may have it. */
    boolean mayGoOn(long nowNanos) {
        return hands < HANDS_MAX && nowNanos - sinceNanos < NANOS_MAX;
    }

    /** The token of the present holder. */
    long token() {
        return storeToken + hands;
    }

    HandOver next() {
        return new HandOver(storeToken, sinceNanos, hands + 1, losses);
    }
}
