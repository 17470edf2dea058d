package dev.tenon.rocketmq;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.MessageSink;

/**
 * Sends messages to RocketMQ: the target is the topic, the key chooses the queue (and is the sharding key); the body is
 * the body; ID, type, key and headers are properties ({@link dev.tenon.tx.message.Envelope}), the ID also the
 * {@code KEYS} by which RocketMQ's tools find it. For an {@link dev.tenon.tx.message.Outbox}.
 *
 * <p>Promise: a message is sent when the broker answers {@code SEND_OK}, and with nothing less; what the broker has
 * done by then is its configuration ({@code flushDiskType}, {@code brokerRole}). A send is one attempt, of 5 s at most,
 * or of the cluster's {@code mqClientApiTimeout} if that is longer. Thread-safe.
 */
public final class RocketMqSink implements MessageSink, AutoCloseable {
    private final RocketMqPublisher publisher;

    private RocketMqSink(RocketMqPublisher publisher) {
        this.publisher = publisher;
    }

    /** A sink; brokers are looked for when it sends. */
    public static RocketMqSink connect(RocketMqCluster cluster) {
        return new RocketMqSink(RocketMqPublisher.open(cluster));
    }

    /**
     * Sends a message, and returns when it is safe.
     *
     * @return done; or refused, if the topic's name is none, there is no body, a header is empty or has a name of
     *     Tenon's or RocketMQ's own, or the headers have more than 12 000 bytes
     * @throws dev.tenon.BackendUnavailableException if there is no such topic, or no name server or broker
     * @throws dev.tenon.OutcomeUnknownException if it is not acknowledged in time: it may be sent
     */
    @Override
    public Reply send(Message message) throws InterruptedException {
        try {
            publisher.publish(RocketMqRecords.of(message));
            return Reply.done();
        } catch (IllegalArgumentException | RocketMqPublisher.UnfitRecordException e) {
            return Reply.refused(String.valueOf(e.getMessage()));
        }
    }

    /** Ends the connections. Idempotent. */
    @Override
    public void close() {
        publisher.close();
    }
}
