/** Measures against peers; {@code scripts/benchmark} runs them all and writes {@code docs/benchmarks.md}. */
@NullMarked
package dev.tenon.benchmarks;

import org.jspecify.annotations.NullMarked;
