@NullMarked
package dev.tenon.console;

import org.jspecify.annotations.NullMarked;
