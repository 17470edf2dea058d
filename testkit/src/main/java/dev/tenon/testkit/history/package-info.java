/**
 * Histories of locks, and whether they can be true: what each process asked for and was answered, and when, is checked
 * against a model of the lock by looking for an order in which everything could have happened one after the other.
 */
@NullMarked
package dev.tenon.testkit.history;

import org.jspecify.annotations.NullMarked;
