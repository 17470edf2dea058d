/** Sagas: steps that are undone by compensations of the business. */
@NullMarked
package dev.tenon.tx.saga;

import org.jspecify.annotations.NullMarked;
