/**
 * Two-phase commit over several databases of one service (X/Open XA). Start at {@link dev.tenon.tx.xa.Xa}. Tests: the
 * package of the same name in {@code backends/jdbc}, as they need databases: {@code H2XaTest}, {@code XaKillTest} and
 * others.
 */
@NullMarked
package dev.tenon.tx.xa;

import org.jspecify.annotations.NullMarked;
