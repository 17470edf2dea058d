/**
 * What a lock store must do ({@link dev.tenon.lock.spi.LockStore}), and the state machine that all of them have in
 * common ({@link dev.tenon.lock.spi.LockMachine}).
 */
@NullMarked
package dev.tenon.lock.spi;

import org.jspecify.annotations.NullMarked;
