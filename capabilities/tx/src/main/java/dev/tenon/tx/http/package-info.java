/** Participants behind an HTTP address, in any language: how they are called, and what their answers mean. */
@NullMarked
package dev.tenon.tx.http;

import org.jspecify.annotations.NullMarked;
