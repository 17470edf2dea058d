/**
 * What lock stores have in common beside the state machine, for authors of backends:
 *
 * <ul>
 *   <li>{@link dev.tenon.lock.engine.RegisterLockStore}: locks for every store that can compare and set versioned
 *       registers, over a {@link dev.tenon.lock.engine.RegisterStore}, which is all that its author implements;
 *   <li>{@link dev.tenon.lock.engine.SessionBook}: what the sessions of this process hold and wait for, and who is
 *       told;
 *   <li>{@link dev.tenon.lock.engine.Wait}: an attempt to acquire, as a state machine;
 *       {@link dev.tenon.lock.engine.CompositeWait} over several stores.
 * </ul>
 */
@NullMarked
package dev.tenon.lock.engine;

import org.jspecify.annotations.NullMarked;
