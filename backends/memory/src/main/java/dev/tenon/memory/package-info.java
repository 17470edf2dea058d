/**
 * The reference backend: everything in one JVM. It survives nothing, needs nothing, and behaves as every other backend
 * does; so it is also the test double for code that uses Tenon.
 */
@NullMarked
package dev.tenon.memory;

import org.jspecify.annotations.NullMarked;
