/** Messages of an outbox to RocketMQ, from RocketMQ to an inbox, and RocketMQ's own transactional messages. */
@NullMarked
package dev.tenon.rocketmq;

import org.jspecify.annotations.NullMarked;
