/** One small program a feature; each runs as it is, with nothing installed. */
@NullMarked
package dev.tenon.examples;

import org.jspecify.annotations.NullMarked;
