@NullMarked
package dev.tenon.testkit.duplicates;

import org.jspecify.annotations.NullMarked;
