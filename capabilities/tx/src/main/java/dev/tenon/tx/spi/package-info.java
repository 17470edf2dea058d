/**
 * What a log of transactions must do ({@link dev.tenon.tx.spi.TransactionStore}), what is in it ({@link
 * dev.tenon.tx.TransactionRecord}), and what a mode must say of its transactions ({@link dev.tenon.tx.spi.ModeProtocol}).
 */
@NullMarked
package dev.tenon.tx.spi;

import org.jspecify.annotations.NullMarked;
