package dev.tenon.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.util.Objects;

/**
 * Sends messages to RabbitMQ: the target is the queue, or, with an exchange, the routing key; ID, type, key and headers
 * are headers ({@link Envelope}). For an {@link dev.tenon.tx.message.Outbox}, which keeps the order of each key.
 *
 * <p>Promise: a message is sent when the broker has confirmed it and put it into a queue: it is persistent, and one
 * that no queue takes is not sent. What a queue does with it then is the queue's: only a durable one keeps it, only a
 * quorum queue keeps it when a node is lost. A send ends after some 20 s at most. Thread-safe.
 */
public final class RabbitMqSink implements MessageSink, AutoCloseable {
    private final RabbitMqPublisher publisher;
    private final String exchange;

    private RabbitMqSink(RabbitMqPublisher publisher, String exchange) {
        this.publisher = publisher;
        this.exchange = exchange;
    }

    /**
     * A sink to queues, by the default exchange; the broker is looked for when it sends.
     *
     * @param factory with the broker's address, user, TLS; it is copied, and recovers no connections by itself
     */
    public static RabbitMqSink connect(ConnectionFactory factory) {
        return connect(factory, "");
    }

    /**
     * A sink to an exchange, which is there.
     *
     * @param exchange its name; the targets of messages are routing keys
     */
    public static RabbitMqSink connect(ConnectionFactory factory, String exchange) {
        return new RabbitMqSink(new RabbitMqPublisher(factory), Objects.requireNonNull(exchange, "exchange"));
    }

    /**
     * Sends a message, and returns when it is safe in a queue.
     *
     * @return done; or refused, if a name is too long for RabbitMQ, or a header has a name of Tenon's own
     * @throws dev.tenon.BackendUnavailableException if it is not sent: no queue takes it, or no broker can be reached
     * @throws dev.tenon.OutcomeUnknownException if it is not confirmed in time, or the connection is lost meanwhile
     */
    @Override
    public Reply send(Message message) throws InterruptedException {
        try {
            AMQP.BasicProperties properties =
                    RabbitMqBroker.properties(new AMQP.BasicProperties(), Envelope.headers(message));
            publisher.publish(exchange, message.target(), properties, message.body());
            return Reply.done();
        } catch (IllegalArgumentException e) {
            return Reply.refused(String.valueOf(e.getMessage()));
        }
    }

    /** Ends the connection. Idempotent. */
    @Override
    public void close() {
        publisher.close();
    }
}
