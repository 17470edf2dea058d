/**
 * Crashes a process of yours at each of its durable steps, one after the other, lets another one recover, and asks
 * whether what you promise still holds. Start at {@link dev.tenon.testkit.crash.CrashPoints}.
 */
@NullMarked
package dev.tenon.testkit.crash;

import org.jspecify.annotations.NullMarked;
