/** From another library to Tenon, with that library: what docs/migration shows. */
@NullMarked
package dev.tenon.examples.migration;

import org.jspecify.annotations.NullMarked;
