/**
 * One transaction over several services, bound to the thread: whoever begins it decides, and whoever is called within it takes part. Start at
 * {@link dev.tenon.tx.global.GlobalTransactions}.
 */
@NullMarked
package dev.tenon.tx.global;

import org.jspecify.annotations.NullMarked;
