package dev.tenon.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tenon.BackendUnavailableException;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Envelope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** The dead letters of a queue: what they are, and back with them once their trouble was mended. Thread-safe. */
public final class RabbitMqDeadLetters {
    private final ConnectionFactory factory;
    private final String queue;
    private final ConsumerOptions options;
    private final String broker;

    private RabbitMqDeadLetters(ConnectionFactory factory, String queue, ConsumerOptions options) {
        this.factory = RabbitMqBroker.own(factory);
        this.queue = Objects.requireNonNull(queue, "queue");
        this.options = Objects.requireNonNull(options, "options");
        this.broker = RabbitMqBroker.name(factory);
    }

    /** Those that a {@link RabbitMqReceiver} with this queue and these options writes. */
    public static RabbitMqDeadLetters of(ConnectionFactory factory, String queue, ConsumerOptions options) {
        return new RabbitMqDeadLetters(factory, queue, options);
    }

    private interface Work<R> {
        R with(Channel channel) throws IOException, InterruptedException;
    }

    /**
     * The oldest ones. While this looks at them, nobody else sees them; RabbitMQ marks them as redelivered.
     *
     * @param limit how many at most
     * @throws IllegalStateException if there is no queue of dead letters
     * @throws BackendUnavailableException if no broker can be reached
     */
    public List<DeadLetter> list(int limit) {
        try {
            return run(channel -> {
                List<DeadLetter> found = new ArrayList<>();
                while (found.size() < limit) {
                    GetResponse got = channel.basicGet(options.deadLettersOf(queue), false);
                    if (got == null) {
                        break;
                    }
                    found.add(Envelope.deadLetter(RabbitMqBroker.text(got.getProps()), got.getBody()));
                }
                return found; // without an acknowledgement they go back to where they were
            });
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    /**
     * Sends them back to their queue, where they are behind all that is there, and have all their attempts again.
     *
     * @param limit how many at most
     * @param by who says so, for the history
     * @return how many
     * @throws dev.tenon.OutcomeUnknownException if one may have been sent: it may be twice, if this is called again
     */
    public int replay(int limit, String by) throws InterruptedException {
        try (RabbitMqPublisher publisher = new RabbitMqPublisher(factory)) {
            return run(channel -> {
                int replayed = 0;
                while (replayed < limit) {
                    GetResponse got = channel.basicGet(options.deadLettersOf(queue), false);
                    if (got == null) {
                        break;
                    }
                    Map<String, String> headers = RabbitMqBroker.text(got.getProps());
                    publisher.publish(
                            "",
                            headers.getOrDefault(Envelope.DEAD_FROM, queue),
                            RabbitMqBroker.properties(
                                    got.getProps(),
                                    Envelope.replayed(
                                            headers, by, options.time().now())),
                            got.getBody());
                    channel.basicAck(got.getEnvelope().getDeliveryTag(), false);
                    replayed++;
                }
                return replayed;
            });
        }
    }

    private <R> R run(Work<R> work) throws InterruptedException {
        Connection connection = RabbitMqBroker.connect(factory, "tenon-rabbitmq-dead-letters");
        try {
            Channel channel = connection.createChannel();
            RabbitMqBroker.requireQueue(channel, options.deadLettersOf(queue), broker);
            R result = work.with(channel);
            // Waits for the broker, so that what was not acknowledged is back in the queue after this.
            channel.close();
            return result;
        } catch (IOException | ShutdownSignalException | TimeoutException e) {
            throw new BackendUnavailableException("RabbitMQ at " + broker + " failed: " + RabbitMqBroker.reason(e), e);
        } finally {
            connection.abort(RabbitMqBroker.CLOSE_LIMIT_MILLIS);
        }
    }
}
