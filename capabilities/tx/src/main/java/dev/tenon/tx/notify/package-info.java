/** Notifications that are tried for a limited time. */
@NullMarked
package dev.tenon.tx.notify;

import org.jspecify.annotations.NullMarked;
