/**
 * Drives transactions of every mode over a store, and recovers them after a crash: start at {@link
 * dev.tenon.tx.engine.TransactionEngine}. Tested here ({@code RandomTransactionsTest}), and over each store in
 * {@code backends/memory}, {@code backends/jdbc} and {@code backends/raft}.
 */
@NullMarked
package dev.tenon.tx.engine;

import org.jspecify.annotations.NullMarked;
