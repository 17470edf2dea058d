package dev.tenon.id.spi;

import java.time.Instant;

/**
 * A claimed slot. Its holder may issue timestamps {@code t} with {@code floor < t <= fence}, as long as its lease
 * lasts. Instants have millisecond precision; a store rounds a fence up.
 *
 * @param workerId the slot, 0 or more
 * @param claim the number of this claim, greater than that of every earlier claim of the slot
 * @param floor the fence of the holder before: everything up to it may have been used; {@link Instant#EPOCH} if none
 * @param fence up to where timestamps are reserved
 */
public record WorkerSlot(int workerId, long claim, Instant floor, Instant fence) {}
