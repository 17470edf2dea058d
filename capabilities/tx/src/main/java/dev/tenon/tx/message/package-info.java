/** Messages that are delivered if, and only if, a local transaction was committed. */
@NullMarked
package dev.tenon.tx.message;

import org.jspecify.annotations.NullMarked;
