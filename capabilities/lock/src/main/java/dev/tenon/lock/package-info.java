/** Distributed locks with leases and fencing tokens. Start at {@link dev.tenon.lock.Locks}. */
@NullMarked
package dev.tenon.lock;

import org.jspecify.annotations.NullMarked;
