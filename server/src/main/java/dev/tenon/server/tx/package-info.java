/** Transactions for callers in any language: what they may ask for, and who drives it. */
@NullMarked
package dev.tenon.server.tx;

import org.jspecify.annotations.NullMarked;
