/** The flash sale: several processes, many buyers, one stock, with a lock and without. */
@NullMarked
package dev.tenon.examples.flashsale;

import org.jspecify.annotations.NullMarked;
