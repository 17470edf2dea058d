package dev.tenon.client;

/**
 * Something that goes wrong with a cluster under load, from its beginning until all is well again.
 *
 * @param name in a few words
 * @param run brings it about, waits for answers as far as there may be any, and puts it right; an
 *     {@link AssertionError} if something is as it must not be
 */
record Fault(String name, Runnable run) {}
