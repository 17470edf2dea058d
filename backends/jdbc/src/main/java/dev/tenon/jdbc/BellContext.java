package dev.tenon.jdbc;

import dev.tenon.TimeSource;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.Revocation;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * What a bell needs to know.
 *
 * @param links where its own connections come from
 * @param channel the address of this process
 * @param waits how many requests of this process wait
 * @param heard is told of each grant for this process, with the session as the store keeps it
 * @param asked is told of each wish that a holder of this process let go, with the session as the store keeps it
 * @param resync is told when grants may have gone unheard
 * @param usable whether the bell's statements can be run, which is known once the tables are there
 */
record BellContext(
        Links links,
        String channel,
        IntSupplier waits,
        Consumer<Grant> heard,
        Consumer<Revocation> asked,
        Runnable resync,
        BooleanSupplier usable,
        TimeSource time) {}
