/** Locks spread over several independent stores by consistent hashing. */
@NullMarked
package dev.tenon.sharded;

import org.jspecify.annotations.NullMarked;
