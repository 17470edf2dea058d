/** Exceptions and value types that every part of Tenon shares. */
@NullMarked
package dev.tenon;

import org.jspecify.annotations.NullMarked;
