/** Transactions in each of their modes, on an H2 in memory unless a test brings another database. */
@NullMarked
package dev.tenon.examples.transactions;

import org.jspecify.annotations.NullMarked;
