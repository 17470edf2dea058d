/**
 * Contracts that every backend must pass, for Tenon's own and for those that users write; and what it takes to test
 * against real servers and real faults.
 */
@NullMarked
package dev.tenon.testkit;

import org.jspecify.annotations.NullMarked;
