/**
 * Locks for every store that can do no more than compare and set versioned registers: {@link
 * dev.tenon.lock.engine.RegisterLockStore} is a {@link dev.tenon.lock.spi.LockStore} over a {@link
 * dev.tenon.lock.engine.RegisterStore}, which is all that the author of such a backend implements.
 */
@NullMarked
package dev.tenon.lock.engine;

import org.jspecify.annotations.NullMarked;
