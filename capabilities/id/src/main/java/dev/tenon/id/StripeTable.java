package dev.tenon.id;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The stripes of a generator, found by thread. Their number is bounded, however many threads come and go: a thread
 * that finds no place, or that comes by rarely, does without. A place is taken from a thread that has not used it for a
 * while by putting another stripe there; the old one stays valid in the hands of a thread that is just using it.
 */
final class StripeTable {
    /** Places a thread looks at. */
    private static final int PROBES = 4;

    private static final int PLACES_MIN = 16;
    private static final int PLACES_PER_PROCESSOR = 4;
    private static final int PLACES_MAX = 1024;

    /** A block is gone on with up to this age, or one unit of the layout: with a beat and a unit more, 10 ms. */
    private static final Duration AGE_MAX = Duration.ofMillis(8);
    /** Of a place that was not used for so many beats, about the age of a block, nothing is wasted by taking it. */
    private static final long IDLE_BEATS = AGE_MAX.toMillis();

    private static final int BLOCK_MAX = 255;
    /** A block for each place, wasted as often as blocks get too old, is this part of the layout's positions. */
    private static final double WASTED_MAX = 0.01;

    private static final VarHandle PLACE = MethodHandles.arrayElementVarHandle(Stripe[].class);

    private final @Nullable Stripe[] places;
    private final long ageSpan;
    private final int block;

    /**
     * @param places a power of two
     */
    StripeTable(IdLayout layout, int places) {
        this.places = new Stripe[places];
        long ageTicks = Math.max(1, AGE_MAX.toMillis() / layout.unitMillis());
        this.ageSpan = ageTicks << layout.sequenceBits();
        // Odd, so that the beginnings of blocks, of which each may be used in part, go through all remainders of 2ⁿ.
        this.block = (int) Math.min(BLOCK_MAX, ageSpan * WASTED_MAX / places - 1) | 1;
    }

    /** How many places suit this machine. */
    static int placesForThisMachine() {
        int wanted = PLACES_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return Integer.highestOneBit(Math.max(PLACES_MIN, Math.min(PLACES_MAX, wanted)));
    }

    /** How many positions a block has; 1 if the layout has too few for blocks. */
    int block() {
        return block;
    }

    /** How far the positions of a block may be behind the clock. */
    long ageSpan() {
        return ageSpan;
    }

    /** The stripe at the first place for a thread: its own, if no other was there before. */
    @Nullable
    Stripe first(Thread thread) {
        Stripe[] all = places;
        return all[(int) thread.getId() & all.length - 1];
    }

    /** The stripe of the current thread, if it has one. Safe without ordering: the owner is a final field. */
    @Nullable
    Stripe of(Thread thread) {
        for (int i = 0; i < PROBES; i++) {
            Stripe stripe = places[place(thread, i)];
            if (stripe != null && stripe.ownedBy(thread)) {
                return stripe;
            }
        }
        return null;
    }

    private int place(Thread thread, int probe) {
        return (int) thread.getId() + probe & places.length - 1;
    }

    /**
     * Gives the current thread a stripe, in a place that has not been used for a while.
     *
     * @return none if all of its places are in use
     */
    @Nullable
    Stripe claim(Thread thread, Pulse pulse, long beat) {
        for (int i = 0; i < PROBES; i++) {
            int place = place(thread, i);
            Stripe before = (Stripe) PLACE.getVolatile(places, place);
            if (before == null || before.idle(pulse, beat, IDLE_BEATS)) {
                Stripe mine = new Stripe(thread, pulse);
                if (PLACE.compareAndSet(places, place, before, mine)) {
                    return mine;
                }
            }
        }
        return null;
    }

    /** Forgets all threads. */
    void clear() {
        for (int i = 0; i < places.length; i++) {
            PLACE.setVolatile(places, i, null);
        }
    }
}
