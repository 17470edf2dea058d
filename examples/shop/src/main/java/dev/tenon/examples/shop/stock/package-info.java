/** Pieces on a shelf, and the parcels: a lock, a barrier and an inbox, on MariaDB or MySQL. */
@NullMarked
package dev.tenon.examples.shop.stock;

import org.jspecify.annotations.NullMarked;
