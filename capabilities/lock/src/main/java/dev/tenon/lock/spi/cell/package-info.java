/**
 * The lock machine for a store that can do no more than compare and set: the whole state of a lock is text in one cell
 * ({@link dev.tenon.lock.spi.cell.LockCells}), and each transition reads it, runs {@link dev.tenon.lock.spi.LockMachine}
 * and writes it back unless somebody was faster.
 */
@NullMarked
package dev.tenon.lock.spi.cell;

import org.jspecify.annotations.NullMarked;
