@NullMarked
package dev.tenon.testkit;

import org.jspecify.annotations.NullMarked;
