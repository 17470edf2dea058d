@NullMarked
package dev.tenon.tx.engine;

import org.jspecify.annotations.NullMarked;
