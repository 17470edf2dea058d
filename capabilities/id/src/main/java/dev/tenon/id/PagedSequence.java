package dev.tenon.id;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/**
 * A counter that begins anew in each period, as one ascending sequence: the high bits of its numbers are the period,
 * the low ones count. So a number says itself to which period it belongs, whatever the clock of the process that took
 * it says, and the periods of all processes follow each other in the order of the store. A process that finds the store
 * behind its clock raises it to its own period, which turns the page for all; one that finds it ahead follows.
 * Thread-safe.
 */
final class PagedSequence {
    /** Room for 10^12 numbers a period, and for periods (days) beyond the year 9999. */
    static final int COUNTER_BITS = 40;

    /** Half of a page: a counter never comes near to where it would be taken for the next period. */
    private static final long COUNTER_MAX = (1L << (COUNTER_BITS - 1)) - 1;

    private static final int TURNS_MAX = 3;

    private final WatchedRanges ranges;
    private final TemplateReset reset;
    private final ZoneId zone;
    private final TimeSource time;
    private final Limits limits;

    /**
     * How far a clock is believed.
     *
     * @param clockBehindMax how far the page of the store may begin ahead of this clock
     * @param idleMax for how long no page may have been turned
     */
    record Limits(Duration clockBehindMax, Duration idleMax) {}

    /** Numbers of one period: {@code first}, {@code first + 1}, … */
    record Page(long period, long first, long count) {}

    PagedSequence(WatchedRanges ranges, TemplateReset reset, ZoneId zone, TimeSource time, Limits limits) {
        this.ranges = ranges;
        this.reset = reset;
        this.zone = zone;
        this.time = time;
        this.limits = limits;
    }

    WatchedRanges ranges() {
        return ranges;
    }

    Page next(long count) {
        for (int turns = 0; ; turns++) {
            Instant now = time.now();
            long mine = reset.period(now.atZone(zone).toLocalDate());
            if (mine < 0) {
                throw new ClockMovedBackwardsException("The clock says " + now + ", which is before 1970");
            }
            IdRange range = ranges.next(count);
            if (range.step() != 1) {
                throw new DefinitionConflictException(
                        "Sequence \"" + ranges.name() + "\" of a template must have step 1, not " + range.step());
            }
            long theirs = range.first() >>> COUNTER_BITS;
            if (theirs >= mine) {
                requireNotFarAhead(theirs, mine, now);
                return page(theirs, range);
            }
            if (turns == TURNS_MAX) {
                throw new SequenceRegressedException("Sequence \"" + ranges.name() + "\" was raised to "
                        + reset.first(mine) + ", and then gave numbers of " + reset.first(theirs) + " again");
            }
            requireNotLongIdle(theirs, now);
            ranges.raiseTo((mine << COUNTER_BITS) - 1);
        }
    }

    private Page page(long period, IdRange range) {
        long first = range.first() - (period << COUNTER_BITS);
        if (first + range.count() - 1 > COUNTER_MAX) {
            throw new RangeExhaustedException(
                    "Sequence \"" + ranges.name() + "\" has no number left for " + reset.first(period));
        }
        return new Page(period, first, range.count());
    }

    private void requireNotFarAhead(long theirs, long mine, Instant now) {
        if (theirs == mine) {
            return;
        }
        Instant begins = reset.first(theirs).atStartOfDay(zone).toInstant();
        if (begins.isAfter(now.plus(limits.clockBehindMax()))) {
            throw new ClockMovedBackwardsException("Sequence \"" + ranges.name() + "\" is at " + reset.first(theirs)
                    + ", but this clock says " + now
                    + ". Mend this clock; or, if another process turned the page with a"
                    + " clock that was ahead, wait until that day, or go on under a new sequence name");
        }
    }

    private void requireNotLongIdle(long theirs, Instant now) {
        if (theirs == 0) {
            return; // nothing was ever issued
        }
        Instant ended = reset.first(theirs + 1).atStartOfDay(zone).toInstant();
        if (ended.isBefore(now.minus(limits.idleMax()))) {
            throw new TenonException("Sequence \"" + ranges.name() + "\" is still at " + reset.first(theirs)
                    + ", and this clock says " + now + ": the page is not turned so far, since it can't be turned back."
                    + " If the clock is right, build the generator with a greater idleMax than " + limits.idleMax());
        }
    }
}
