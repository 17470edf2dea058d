/**
 * The state of ID stores as pure, deterministic state machines: no clock, no I/O. Stores that keep their state in
 * memory and replicated logs run them as they are.
 */
@NullMarked
package dev.tenon.id.machine;

import org.jspecify.annotations.NullMarked;
