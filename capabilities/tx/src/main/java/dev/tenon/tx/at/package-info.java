/**
 * Automatic undo: plain SQL in several databases; the inverse of each statement is stored beside it, and run if the
 * transaction is aborted. Start at {@link dev.tenon.tx.at.AtTransactions}. Tests: {@code AutoUndoTest} and others in
 * {@code backends/jdbc}.
 */
@NullMarked
package dev.tenon.tx.at;

import org.jspecify.annotations.NullMarked;
