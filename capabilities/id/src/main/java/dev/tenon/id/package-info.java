/** Unique ID generators, layouts and codecs. Start at {@link dev.tenon.id.SnowflakeGenerator}. */
@NullMarked
package dev.tenon.id;

import org.jspecify.annotations.NullMarked;
