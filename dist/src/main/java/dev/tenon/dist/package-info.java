/** The one door of the runnable jar. */
@NullMarked
package dev.tenon.dist;

import org.jspecify.annotations.NullMarked;
