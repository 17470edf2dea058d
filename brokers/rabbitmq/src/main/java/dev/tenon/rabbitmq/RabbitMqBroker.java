package dev.tenon.rabbitmq;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.ShutdownSignalException;
import dev.tenon.BackendUnavailableException;
import dev.tenon.tx.message.Envelope;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeoutException;

/** Connections, and what travels on them. */
final class RabbitMqBroker {
    private static final int CONNECT_LIMIT_MILLIS = 5_000;
    private static final int HEARTBEAT_SECONDS_MAX = 10;
    private static final int PERSISTENT = 2;
    private static final int SHORT_TEXT_MAX = 255;
    static final int CLOSE_LIMIT_MILLIS = 5_000;

    private RabbitMqBroker() {}

    /** A factory that connects within a bounded time, and leaves it to us what to do when a connection is lost. */
    static ConnectionFactory own(ConnectionFactory factory) {
        ConnectionFactory own = factory.clone();
        own.setAutomaticRecoveryEnabled(false);
        own.setTopologyRecoveryEnabled(false);
        own.setConnectionTimeout(bounded(own.getConnectionTimeout(), CONNECT_LIMIT_MILLIS));
        own.setHandshakeTimeout(bounded(own.getHandshakeTimeout(), CONNECT_LIMIT_MILLIS));
        own.setRequestedHeartbeat(bounded(own.getRequestedHeartbeat(), HEARTBEAT_SECONDS_MAX));
        own.setChannelRpcTimeout(CONNECT_LIMIT_MILLIS * 2);
        own.setShutdownTimeout(CLOSE_LIMIT_MILLIS);
        return own;
    }

    private static int bounded(int value, int most) {
        return value <= 0 ? most : Math.min(value, most);
    }

    static String name(ConnectionFactory factory) {
        return factory.getHost() + ":" + factory.getPort() + " (" + factory.getVirtualHost() + ")";
    }

    /**
     * A connection.
     *
     * @throws BackendUnavailableException if there is no broker, or it does not let us in
     */
    static Connection connect(ConnectionFactory factory, String purpose) {
        try {
            return own(factory).newConnection(purpose);
        } catch (IOException | TimeoutException | ShutdownSignalException e) {
            throw new BackendUnavailableException(
                    "No RabbitMQ at " + name(factory) + " can be reached: " + reason(e), e);
        }
    }

    /**
     * Looks for a queue; the channel is of no more use if there is none.
     *
     * @throws IllegalStateException if there is none, or we may not see it
     */
    static void requireQueue(Channel channel, String queue, String broker) throws IOException {
        try {
            channel.queueDeclarePassive(queue);
        } catch (IOException e) {
            if (e.getCause() instanceof ShutdownSignalException refused && !refused.isHardError()) {
                throw new IllegalStateException(
                        "RabbitMQ at " + broker + " has no queue " + queue
                                + " for us: declare it, or take another name (" + reason(e) + ")",
                        e);
            }
            throw e;
        }
    }

    /** What the broker said, if it said something. */
    static String reason(Exception e) {
        Throwable why = e.getCause() instanceof ShutdownSignalException signal ? signal : e;
        if (why instanceof ShutdownSignalException signal) {
            if (signal.getReason() instanceof AMQP.Channel.Close closed) {
                return closed.getReplyText();
            }
            if (signal.getReason() instanceof AMQP.Connection.Close closed) {
                return closed.getReplyText();
            }
        }
        return Objects.requireNonNullElse(why.getMessage(), why.toString());
    }

    /** The headers that are text, and the ID and type that a sender without Tenon has put into the properties. */
    static Map<String, String> text(AMQP.BasicProperties properties) {
        Map<String, String> text = new LinkedHashMap<>();
        if (properties.getType() != null) {
            text.put(Envelope.TYPE, properties.getType());
        }
        if (properties.getMessageId() != null) {
            text.put(Envelope.ID, properties.getMessageId());
        }
        if (properties.getHeaders() != null) {
            properties.getHeaders().forEach((name, value) -> {
                // The broker's own, such as x-death, are tables, and nobody's text.
                if (value != null && !(value instanceof Map) && !(value instanceof Iterable)) {
                    text.put(name, value.toString());
                }
            });
        }
        return text;
    }

    /** Properties with these headers; what was no text stays as it was. */
    static AMQP.BasicProperties properties(AMQP.BasicProperties before, Map<String, String> wanted) {
        Map<String, String> old = text(before);
        Map<String, Object> headers = new LinkedHashMap<>();
        if (before.getHeaders() != null) {
            before.getHeaders().forEach((name, value) -> {
                if (!old.containsKey(name) || Objects.equals(old.get(name), wanted.get(name))) {
                    headers.put(name, value);
                }
            });
        }
        wanted.forEach(headers::putIfAbsent);
        AMQP.BasicProperties.Builder builder =
                before.builder().headers(headers).deliveryMode(PERSISTENT).messageId(wanted.get(Envelope.ID));
        String type = wanted.getOrDefault(Envelope.TYPE, "");
        return builder.type(type.length() * 4 <= SHORT_TEXT_MAX ? type : null).build();
    }
}
