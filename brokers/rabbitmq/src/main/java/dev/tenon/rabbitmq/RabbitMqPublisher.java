package dev.tenon.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Publishes persistent messages, and waits until the broker has confirmed each and put it into a queue. One connection,
 * made when it is needed, and a channel for each message that is on its way. Thread-safe.
 */
final class RabbitMqPublisher implements AutoCloseable {
    /** Less than half of an outbox's claim (30 s): a send ends before somebody else takes over. */
    private static final Duration CONFIRM_LIMIT = Duration.ofSeconds(10);

    private final ConnectionFactory factory;
    private final String broker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Line> idle = new ArrayDeque<>();
    private @Nullable Connection connection;
    private volatile @Nullable String blocked;
    private boolean closed;

    /** A channel in confirm mode, used by one thread at a time. */
    private static final class Line {
        private final Channel channel;
        private volatile boolean returned;

        Line(Channel channel) throws IOException {
            this.channel = channel;
            channel.confirmSelect();
            // Comes before the confirmation of the message that nobody has taken.
            channel.addReturnListener(message -> returned = true);
        }
    }

    RabbitMqPublisher(ConnectionFactory factory) {
        this.factory = RabbitMqBroker.own(factory);
        this.broker = RabbitMqBroker.name(factory);
    }

    /** Returns when the message is safe in a queue. */
    void publish(String exchange, String routingKey, AMQP.BasicProperties properties, byte[] body)
            throws InterruptedException {
        String place = exchange.isEmpty() ? "Queue " + routingKey : "Exchange " + exchange + " with " + routingKey;
        Line line = take(place);
        boolean whole = false;
        try {
            line.returned = false;
            line.channel.basicPublish(exchange, routingKey, true, properties, body);
            boolean confirmed = line.channel.waitForConfirms(CONFIRM_LIMIT.toMillis());
            whole = true;
            if (line.returned) {
                throw new BackendUnavailableException(place + " of RabbitMQ at " + broker
                        + " does not take it: there is no such queue, or none is bound there; declare it");
            }
            if (!confirmed) {
                throw new OutcomeUnknownException(place + " of RabbitMQ at " + broker
                        + " has not taken it (nack): it is full, or the node could not write");
            }
        } catch (IOException | ShutdownSignalException | TimeoutException e) {
            throw new OutcomeUnknownException(
                    place + " of RabbitMQ at " + broker + " has not confirmed it: " + RabbitMqBroker.reason(e), e);
        } finally {
            giveBack(line, whole);
        }
    }

    private Line take(String place) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("It is closed");
            }
            String why = blocked;
            if (why != null && connection != null && connection.isOpen()) {
                throw new BackendUnavailableException(
                        place + ": RabbitMQ at " + broker + " takes no messages now: " + why);
            }
            while (!idle.isEmpty()) {
                Line line = idle.pop();
                if (line.channel.isOpen()) {
                    return line;
                }
            }
            return new Line(connection().createChannel());
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw new BackendUnavailableException(
                    place + ": no RabbitMQ at " + broker + " can be reached: " + RabbitMqBroker.reason(e), e);
        } finally {
            lock.unlock();
        }
    }

    private Connection connection() throws IOException, TimeoutException {
        Connection now = connection;
        if (now == null || !now.isOpen()) {
            now = factory.newConnection("tenon-rabbitmq-publish");
            blocked = null;
            now.addBlockedListener(reason -> blocked = reason, () -> blocked = null);
            connection = now;
        }
        return now;
    }

    private void giveBack(Line line, boolean whole) {
        if (whole) {
            lock.lock();
            try {
                idle.push(line);
            } finally {
                lock.unlock();
            }
        } else if (line.channel.isOpen()) {
            // A confirmation that is late must not be taken for the next message's; and a broker that does not answer
            // in
            // time may do better on another connection.
            line.channel.getConnection().abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            idle.clear();
            Connection now = connection;
            if (now != null) {
                now.abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
            }
        } finally {
            lock.unlock();
        }
    }
}
