/** The shop, opened and watched. */
@NullMarked
package dev.tenon.examples.shop;

import org.jspecify.annotations.NullMarked;
