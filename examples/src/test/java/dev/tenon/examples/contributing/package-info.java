/** The examples of {@code docs/contributing}: small, and held to the contracts like what Tenon comes with. */
@NullMarked
package dev.tenon.examples.contributing;

import org.jspecify.annotations.NullMarked;
