/**
 * Transactions across services and databases: a log, a state machine, a recovery pass and a barrier, on which every mode is
 * a thin layer. Start at {@link dev.tenon.tx.Transactions}.
 */
@NullMarked
package dev.tenon.tx;

import org.jspecify.annotations.NullMarked;
