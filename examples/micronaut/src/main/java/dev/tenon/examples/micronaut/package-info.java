/** Micronaut with locks, IDs by name and an outbox, all over the data source that the application has. */
@NullMarked
package dev.tenon.examples.micronaut;

import org.jspecify.annotations.NullMarked;
