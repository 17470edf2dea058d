/**
 * Finds IDs that are issued twice, by any generator: {@link dev.tenon.testkit.duplicates.DuplicateDetector} in tests
 * that really run, {@link dev.tenon.testkit.duplicates.DuplicateHunt} under jumping clocks, kills and failing stores.
 */
@NullMarked
package dev.tenon.testkit.duplicates;

import org.jspecify.annotations.NullMarked;
