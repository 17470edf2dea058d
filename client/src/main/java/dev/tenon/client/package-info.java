/**
 * The Tenon server as a backend: the same interfaces and promises as any other store. Start at
 * {@link dev.tenon.client.TenonClient}.
 */
@NullMarked
package dev.tenon.client;

import org.jspecify.annotations.NullMarked;
