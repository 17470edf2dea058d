package dev.tenon.id.spi;

import java.time.Duration;
import java.time.Instant;

/**
 * A slot as its store sees it.
 *
 * @param workerId the slot
 * @param owner its holder, or its last one
 * @param since when it was claimed, by the store's clock
 * @param leaseLeft what is left of the lease, by the store's clock; zero if the slot is free
 * @param fence up to where its timestamps may have been used
 */
public record WorkerSlotView(int workerId, String owner, Instant since, Duration leaseLeft, Instant fence) {}
