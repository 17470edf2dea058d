package dev.tenon.id;

import java.time.Instant;

/**
 * What an ID of an {@link IdLayout} says.
 *
 * @param time the beginning of its time unit
 * @param workerId the whole worker field: the {@link WorkerId#value()} of its generator
 * @param datacenter the upper bits of the worker field; 0 if the layout does not split it
 * @param worker the lower bits of the worker field; all of it if the layout does not split it
 * @param sequence its number in its time unit
 */
public record IdParts(Instant time, int workerId, int datacenter, int worker, long sequence) {}
