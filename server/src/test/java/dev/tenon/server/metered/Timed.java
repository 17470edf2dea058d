package dev.tenon.server.metered;

import dev.tenon.server.observe.Observer;

/** Timers whose observations go nowhere. */
final class Timed {
    private Timed() {}

    static CallTimer part(String name) {
        return new CallTimer(name, Observer.NONE);
    }
}
