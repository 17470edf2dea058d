package dev.tenon.lock;

import dev.tenon.TenonException;

/**
 * A write was refused, because its fencing token is smaller than one that the resource has seen: a later holder has
 * been there. Nothing was written by the guard; undo what else belongs to the write (roll its transaction back), and do
 * not try again with this token. The lease that it is of is over, whatever its process may believe.
 */
public final class StaleTokenException extends TenonException {
    private final String resource;
    private final long token;
    private final long greatest;

    /**
     * @param resource what was to be written
     * @param token the one that was shown
     * @param greatest the greatest that the resource has seen
     */
    public StaleTokenException(String resource, long token, long greatest) {
        super("Token " + token + " is too old for \"" + resource + "\", which has seen " + greatest
                + ": another holder has been there since");
        this.resource = resource;
        this.token = token;
        this.greatest = greatest;
    }

    /** What was to be written. */
    public String resource() {
        return resource;
    }

    /** The token that was shown. */
    public long token() {
        return token;
    }

    /** The greatest token that the resource had seen. */
    public long greatest() {
        return greatest;
    }
}
