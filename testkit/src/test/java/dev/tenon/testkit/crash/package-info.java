/** Tests of the enumerator of crash points. */
@NullMarked
package dev.tenon.testkit.crash;

import org.jspecify.annotations.NullMarked;
