/** Tenon's transactions inside those of a JTA manager: {@link dev.tenon.jta.JtaTransactions}. */
@NullMarked
package dev.tenon.jta;

import org.jspecify.annotations.NullMarked;
