/**
 * Automatic undo: plain SQL in several databases, whose inverse is written down beside it and carried out if the transaction is aborted. Start
 * at {@link dev.tenon.tx.at.AtTransactions}.
 */
@NullMarked
package dev.tenon.tx.at;

import org.jspecify.annotations.NullMarked;
