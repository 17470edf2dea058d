/**
 * Best-effort notifications: retried for a limited time. Start at {@link dev.tenon.tx.notify.Notifications}. Tests:
 * {@code NotificationTest} in {@code backends/memory}; the protocol in {@code RandomTransactionsTest} of this module.
 */
@NullMarked
package dev.tenon.tx.notify;

import org.jspecify.annotations.NullMarked;
