package dev.tenon.lock.spi;

import java.util.List;
import java.util.Optional;

/**
 * A part of a listing.
 *
 * @param locks in ascending order of their names
 * @param next what to ask for {@code after} to get the following page; empty if this is the last
 */
public record LockPage(List<LockView> locks, Optional<String> next) {
    public LockPage {
        locks = List.copyOf(locks);
    }
}
