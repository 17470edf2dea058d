/**
 * What lock stores have in common beside the state machine: which sessions of this process hold and wait for what, and who is
 * told ({@link dev.tenon.lock.engine.SessionBook}). For authors of backends.
 */
@NullMarked
package dev.tenon.lock.engine;

import org.jspecify.annotations.NullMarked;
