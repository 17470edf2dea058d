package dev.tenon.examples.recipes;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/** How long a spin lock pauses before it tries again. */
interface Pauses {
    /** The pause after this many attempts in vain, from 1. */
    Duration after(int attempts);

    // tag::pauses[]
    /** Tries again at once. */
    static Pauses none() {
        return attempts -> Duration.ZERO;
    }

    /**
     * The first pause, then twice that, and so on up to the last; each between its half and its whole, as the dice
     * fall.
     */
    static Pauses backOff(Duration first, Duration last, DoubleSupplier dice) {
        return attempts -> {
            long doubled = first.toNanos() << Math.min(attempts - 1, 20);
            long whole = Math.min(doubled, last.toNanos());
            return Duration.ofNanos(whole / 2 + (long) (dice.getAsDouble() * (whole / 2)));
        };
    }
    // end::pauses[]

    /** Dice that differ from waiter to waiter, so that they don't all come back at once. */
    static DoubleSupplier jitter() {
        return () -> ThreadLocalRandom.current().nextDouble();
    }

    /** No dice: always the whole pause, for every waiter the same. */
    static DoubleSupplier noJitter() {
        return () -> 1;
    }
}
