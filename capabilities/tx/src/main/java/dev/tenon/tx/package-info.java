/**
 * Transactions across services and databases: what users and every mode share. {@link dev.tenon.tx.Transactions}
 * begins, drives and recovers them, {@link dev.tenon.tx.Participant}s do their work, and {@link dev.tenon.tx.Barrier}
 * makes that idempotent. Start at {@code dev.tenon.tx.engine.TransactionEngine}. Tests: {@code TransactionsTest} and
 * others in {@code backends/memory}, {@code BarrierStoreTest} in {@code backends/jdbc}.
 */
@NullMarked
package dev.tenon.tx;

import org.jspecify.annotations.NullMarked;
