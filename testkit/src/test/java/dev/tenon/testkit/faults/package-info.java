@NullMarked
package dev.tenon.testkit.faults;

import org.jspecify.annotations.NullMarked;
