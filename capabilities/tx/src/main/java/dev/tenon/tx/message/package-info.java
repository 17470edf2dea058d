/**
 * Messages that are delivered if, and only if, a local transaction was committed: {@link dev.tenon.tx.message.Outbox},
 * {@link dev.tenon.tx.message.Inbox} and {@link dev.tenon.tx.message.ReliableMessages}. Tests: {@code OutboxTest},
 * {@code InboxTest} and {@code ReliableMessagesTest} in {@code backends/jdbc}; {@code RelayTest} and {@code
 * DeliveriesTest} in this module.
 */
@NullMarked
package dev.tenon.tx.message;

import org.jspecify.annotations.NullMarked;
