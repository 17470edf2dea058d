/**
 * What a log of transactions must do ({@link dev.tenon.tx.spi.TransactionStore}), what an outbox and a barrier must do,
 * and what a mode must say of its transactions ({@link dev.tenon.tx.spi.ModeProtocol}). {@link
 * dev.tenon.tx.spi.TransactionMachine} is the state machine of all modes. Tests: {@code RandomTransactionsTest} in this
 * module, and the contracts in {@code testkit}.
 */
@NullMarked
package dev.tenon.tx.spi;

import org.jspecify.annotations.NullMarked;
