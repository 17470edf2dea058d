/** Try, confirm, cancel: reservations that are all confirmed or all given back. */
@NullMarked
package dev.tenon.tx.tcc;

import org.jspecify.annotations.NullMarked;
