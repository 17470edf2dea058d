/** Outboxes that others send the messages of: what is late, what is failing, and what operators do about it. */
@NullMarked
package dev.tenon.server.outbox;

import org.jspecify.annotations.NullMarked;
