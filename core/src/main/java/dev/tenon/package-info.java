/** Exceptions, value types and named threads that every part of Tenon shares. */
@NullMarked
package dev.tenon;

import org.jspecify.annotations.NullMarked;
