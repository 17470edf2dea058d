/**
 * A transaction over several services as the field writes it by hand, with a {@code transaction_record} in each of them
 * and a job that gives back what a crash has left; {@code docs/transactions/hand-written.md} compares it with a saga.
 */
@NullMarked
package dev.tenon.examples.handwritten;

import org.jspecify.annotations.NullMarked;
