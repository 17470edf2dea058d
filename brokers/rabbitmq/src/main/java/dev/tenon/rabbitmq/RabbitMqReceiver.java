package dev.tenon.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Consumer;
import com.rabbitmq.client.DefaultConsumer;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.Deliveries;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes messages from a queue of RabbitMQ to a handler, such as {@link dev.tenon.tx.message.Inbox#handler}: one
 * consumer, with a thread of its own. It connects again when its connection is lost.
 *
 * <p>Promise: a message is acknowledged after its handler returned, or it is safe among the dead letters. So each
 * message is handled at least once, and through an inbox has its effect once. One that fails is tried again
 * ({@link ConsumerOptions#retry}), while those of other keys go on, and is then put to the queue of dead letters with
 * its history. Messages of one key are handled in the order of the queue if this is its only consumer: declare the
 * queue with {@code x-single-active-consumer} if there may be several. Thread-safe.
 */
public final class RabbitMqReceiver implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final ConnectionFactory factory;
    private final String queue;
    private final ConsumerOptions options;
    private final RabbitMqPublisher publisher;
    private final Deliveries<Got> deliveries;
    private final Thread thread;
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();

    /** A message as it came, on the channel that acknowledges it. */
    private record Got(Channel channel, long tag, AMQP.BasicProperties properties, byte[] body) {}

    /** A connection with a consumer. */
    private record Session(
            Connection connection, Channel channel, BlockingQueue<Got> incoming, AtomicBoolean cancelled) {}

    private RabbitMqReceiver(
            ConnectionFactory factory, String queue, MessageSink handler, ConsumerOptions options, Session first) {
        this.factory = factory;
        this.queue = queue;
        this.options = options;
        this.publisher = new RabbitMqPublisher(factory);
        this.deliveries = new Deliveries<>(handler, options, new Exits());
        this.thread = DaemonThreads.of("tenon-rabbitmq-" + queue, () -> run(first));
    }

    /**
     * Begins to take messages.
     *
     * @param factory with the broker's address, user, TLS; it is copied
     * @param queue which exists, as does that of its dead letters
     * @throws IllegalStateException if there is no such queue, or none for its dead letters
     * @throws BackendUnavailableException if no broker can be reached
     */
    public static RabbitMqReceiver start(
            ConnectionFactory factory, String queue, MessageSink handler, ConsumerOptions options) {
        ConnectionFactory own = RabbitMqBroker.own(factory);
        Session first = open(own, queue, options);
        RabbitMqReceiver receiver = new RabbitMqReceiver(own, queue, handler, options, first);
        receiver.thread.start();
        return receiver;
    }

    private static Session open(ConnectionFactory factory, String queue, ConsumerOptions options) {
        Connection connection = RabbitMqBroker.connect(factory, "tenon-rabbitmq-" + queue);
        try {
            Channel channel = connection.createChannel();
            RabbitMqBroker.requireQueue(channel, queue, RabbitMqBroker.name(factory));
            RabbitMqBroker.requireQueue(channel, options.deadLettersOf(queue), RabbitMqBroker.name(factory));
            channel.basicQos(options.inFlight());
            Session session = new Session(connection, channel, new LinkedBlockingQueue<>(), new AtomicBoolean());
            channel.basicConsume(queue, false, into(session));
            return session;
        } catch (IOException | ShutdownSignalException e) {
            connection.abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
            throw new BackendUnavailableException(
                    "RabbitMQ at " + RabbitMqBroker.name(factory) + " gives us nothing from queue " + queue + ": "
                            + RabbitMqBroker.reason(e),
                    e);
        } catch (IllegalStateException e) {
            connection.abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
            throw e;
        }
    }

    private static Consumer into(Session session) {
        return new DefaultConsumer(session.channel()) {
            @Override
            public void handleDelivery(
                    String consumerTag,
                    com.rabbitmq.client.Envelope envelope,
                    AMQP.BasicProperties properties,
                    byte[] body) {
                session.incoming().add(new Got(session.channel(), envelope.getDeliveryTag(), properties, body));
            }

            /** The queue was deleted, or moved. */
            @Override
            public void handleCancel(String consumerTag) {
                session.cancelled().set(true);
            }
        };
    }

    /** What went wrong with the last message, or with the broker; empty if nothing did. For a health check. */
    public Optional<String> trouble() {
        return closed || thread.isAlive()
                ? trouble
                : Optional.of("Its thread was ended by what its handler threw; start another one");
    }

    /**
     * Takes no more messages, and lets the one that is being handled end (30 s at most). Those that are not
     * acknowledged come again. Idempotent.
     */
    @Override
    public void close() {
        closed = true;
        try {
            thread.join(CLOSE_LIMIT.toMillis());
            if (thread.isAlive()) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(Session first) {
        Session session = first;
        try {
            while (true) {
                serve(session);
                deliveries.forget(got -> true); // they come again
                if (closed) {
                    return;
                }
                trouble = Optional.of("RabbitMQ at " + RabbitMqBroker.name(factory) + " has ended the delivery");
                session = openAgain();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            session.connection().abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
            publisher.close();
        }
    }

    private Session openAgain() throws InterruptedException {
        while (true) {
            try {
                Session session = open(factory, queue, options);
                trouble = Optional.empty();
                return session;
            } catch (RuntimeException e) { // whatever the driver throws must not end the consumer for good
                trouble = Optional.of(Objects.requireNonNullElse(e.getMessage(), e.toString()));
                options.time().park(AGAIN);
            }
            if (closed || Thread.interrupted()) {
                throw new InterruptedException("closed");
            }
        }
    }

    /** Until the connection is lost, or it is closed. */
    private void serve(Session session) throws InterruptedException {
        try {
            while (!closed && session.channel().isOpen() && !session.cancelled().get()) {
                Duration wait = deliveries
                        .idle()
                        .filter(idle -> idle.compareTo(POLL) < 0)
                        .orElse(POLL);
                Got got = session.incoming().poll(wait.toNanos(), TimeUnit.NANOSECONDS);
                while (got != null) {
                    add(got);
                    got = session.incoming().poll();
                }
                if (deliveries.runOnce()) {
                    trouble = deliveries.trouble();
                }
            }
        } finally {
            session.connection().abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
        }
    }

    private void add(Got got) {
        Map<String, String> headers = RabbitMqBroker.text(got.properties());
        try {
            deliveries.add(got, Envelope.open(queue, headers, got.body(), Optional.empty()), headers);
        } catch (IllegalArgumentException e) {
            deliveries.addBroken(got, queue, headers, String.valueOf(e.getMessage()));
        }
    }

    private final class Exits implements Deliveries.Exits<Got> {
        @Override
        public void acknowledge(Got got) throws IOException {
            got.channel().basicAck(got.tag(), false);
        }

        @Override
        public void bury(Got got, Map<String, String> headers) throws InterruptedException {
            publisher.publish(
                    "", options.deadLettersOf(queue), RabbitMqBroker.properties(got.properties(), headers), got.body());
        }
    }
}
