/** Messages of an outbox to RabbitMQ, and from RabbitMQ to an inbox. */
@NullMarked
package dev.tenon.rabbitmq;

import org.jspecify.annotations.NullMarked;
