@NullMarked
package dev.tenon.tx;

import org.jspecify.annotations.NullMarked;
