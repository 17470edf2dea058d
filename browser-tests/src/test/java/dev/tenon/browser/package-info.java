@NullMarked
package dev.tenon.browser;

import org.jspecify.annotations.NullMarked;
