/** Two-phase commit over several databases of one service (X/Open XA). Start at {@link dev.tenon.tx.xa.Xa}. */
@NullMarked
package dev.tenon.tx.xa;

import org.jspecify.annotations.NullMarked;
