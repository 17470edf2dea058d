/** Locks of scheduled tasks, for ShedLock: {@link dev.tenon.shedlock.TenonLockProvider}. */
@NullMarked
package dev.tenon.shedlock;

import org.jspecify.annotations.NullMarked;
