/**
 * Try, confirm, cancel: reservations that are all confirmed or all given back. Start at {@link dev.tenon.tx.tcc.Tcc}.
 * Tests: {@code TccTest} in {@code backends/memory}; the protocol in {@code RandomTransactionsTest} of this module.
 */
@NullMarked
package dev.tenon.tx.tcc;

import org.jspecify.annotations.NullMarked;
