/**
 * The locks that the field writes by hand, each as small as it is usually shown, with the faults that it has. Tests
 * show each fault, and that Tenon's lock does not have it; {@code docs/locks/recipes.md} tells what to use instead.
 */
@NullMarked
package dev.tenon.examples.recipes;

import org.jspecify.annotations.NullMarked;
