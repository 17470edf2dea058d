/** What a store must do to serve ID generators: ranges, worker IDs and definitions. */
@NullMarked
package dev.tenon.id.spi;

import org.jspecify.annotations.NullMarked;
