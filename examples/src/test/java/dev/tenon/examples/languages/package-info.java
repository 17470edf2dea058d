@NullMarked
package dev.tenon.examples.languages;

import org.jspecify.annotations.NullMarked;
