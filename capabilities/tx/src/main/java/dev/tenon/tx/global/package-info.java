/**
 * One transaction over several services, bound to the thread: the service that begins it decides, and each service that
 * is called within it takes part. Start at {@link dev.tenon.tx.global.GlobalTransactions}. Tests: {@code
 * GlobalTransactionsTest} in {@code backends/memory}, {@code GlobalTransactionTest} in {@code spring}.
 */
@NullMarked
package dev.tenon.tx.global;

import org.jspecify.annotations.NullMarked;
