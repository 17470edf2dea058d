/**
 * Suites that break a store, the way to it, and the processes that hold its locks, and then ask whether what the locks
 * promise still holds. A backend has all of them for one small {@link dev.tenon.testkit.faults.LockStoreFixture}.
 */
@NullMarked
package dev.tenon.testkit.faults;

import org.jspecify.annotations.NullMarked;
