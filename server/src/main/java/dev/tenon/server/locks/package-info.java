/**
 * Locks for clients that are not in this process: requests that wait, and who holds what. Start at
 * {@link dev.tenon.server.locks.LockService}.
 */
@NullMarked
package dev.tenon.server.locks;

import org.jspecify.annotations.NullMarked;
