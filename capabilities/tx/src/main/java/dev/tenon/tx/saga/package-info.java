/**
 * Sagas: steps that are undone by compensations of the business. Start at {@link dev.tenon.tx.saga.Sagas}. Tests:
 * {@code SagaTest} in {@code backends/memory}; the protocol in {@code RandomTransactionsTest} of this module.
 */
@NullMarked
package dev.tenon.tx.saga;

import org.jspecify.annotations.NullMarked;
