/** Messages of an outbox to Kafka, and from Kafka to an inbox. */
@NullMarked
package dev.tenon.kafka;

import org.jspecify.annotations.NullMarked;
