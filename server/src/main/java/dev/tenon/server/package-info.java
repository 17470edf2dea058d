/**
 * The coordination server: options, start and stop, and how its parts are put together. Start at
 * {@link dev.tenon.server.TenonServer}.
 */
@NullMarked
package dev.tenon.server;

import org.jspecify.annotations.NullMarked;
