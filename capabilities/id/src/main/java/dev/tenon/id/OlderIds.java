package dev.tenon.id;

import dev.tenon.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/**
 * The IDs that another generator has left in a table, in a layout that they share with the new ones: what proves, when
 * a program starts, that all of its IDs will be greater. Immutable.
 *
 * @param layout of old and new IDs, epoch included
 * @param greatest the greatest old ID, such as {@code SELECT max(id)}; 0 if there is none
 */
public record OlderIds(IdLayout layout, long greatest) {
    /** Old generators may have run a little ahead of the clock, or have issued an ID in this very moment. */
    private static final Duration AHEAD_MAX = Duration.ofSeconds(1);

    public OlderIds {
        Objects.requireNonNull(layout, "layout");
    }

    /** As {@link #requireBelow(TimeSource)}, on the clock of this machine. */
    public void requireBelow() {
        requireBelow(TimeSource.system());
    }

    /**
     * Returns when every ID that is made from now on is greater than the greatest old one, which may take up to a
     * second. Those that an old generator makes after this are not known of: there the clocks decide.
     *
     * @throws IllegalStateException if the old IDs are not of this layout, or their clock and this one are more than a
     *     second apart: the message names the time that the greatest one has
     */
    public void requireBelow(TimeSource time) {
        if (greatest < 0 || greatest > layout.maxId()) {
            throw new IllegalStateException(greatest + " is no ID of the layout " + layout.text()
                    + ": find out in which layout, and from which epoch, the old IDs were made");
        }
        while (layout.firstIdAt(time.now()) <= greatest) {
            Instant now = time.now();
            Instant then = layout.decode(greatest).time();
            if (then.isAfter(now.plus(AHEAD_MAX))) {
                throw new IllegalStateException("New IDs would not be greater than " + greatest + ", which is of "
                        + then
                        + ", and it is " + now + ". The old IDs are of another layout or epoch than " + layout.text()
                        + ", or a clock is wrong");
            }
            time.park(layout.unit());
        }
    }
}
