@NullMarked
package dev.tenon.testkit.history;

import org.jspecify.annotations.NullMarked;
