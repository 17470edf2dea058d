package dev.tenon.kafka;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * Sends messages to Kafka: the target is the topic, the key the record's key, which chooses the partition; the body the
 * record's value; ID, type and headers are headers ({@link Envelope}). For an {@link dev.tenon.tx.message.Outbox}.
 *
 * <p>Promise: a message is sent when all replicas in sync have it ({@code acks=all}; how many those are is the topic's
 * {@code min.insync.replicas}). The producer is idempotent, so an attempt of its own that is repeated is no second
 * record and changes no order; an attempt of the outbox that is repeated may be one. A send ends after 15 s at most.
 * Thread-safe.
 */
public final class KafkaSink implements MessageSink, AutoCloseable {
    private final KafkaPublisher publisher;

    private KafkaSink(KafkaPublisher publisher) {
        this.publisher = publisher;
    }

    /**
     * A sink; brokers are looked for when it sends.
     *
     * @param settings of a Kafka producer, by Kafka's own names: {@code bootstrap.servers}, and what security needs. If
     *     {@code max.block.ms} and {@code delivery.timeout.ms} are set, let them be less than the outbox's claim
     *     together
     * @throws IllegalArgumentException if they contradict the promise ({@code acks}, {@code enable.idempotence}), or
     *     {@code bootstrap.servers} is missing
     * @throws org.apache.kafka.common.config.ConfigException if Kafka does not like them
     */
    public static KafkaSink connect(Map<String, ?> settings) {
        return new KafkaSink(KafkaPublisher.open(settings));
    }

    /**
     * Sends a message, and returns when it is safe.
     *
     * @return done; or refused, if the topic's name is none, the record is larger than the topic takes, or a header has
     *     a name of Tenon's own
     * @throws dev.tenon.OutcomeUnknownException if it is not acknowledged in time: there is no such topic, no broker,
     *     or no permission, or it is sent and the answer was lost
     */
    @Override
    public Reply send(Message message) throws InterruptedException {
        Map<String, String> headers;
        try {
            headers = new TreeMap<>(Envelope.headers(message));
        } catch (IllegalArgumentException e) {
            return Reply.refused(String.valueOf(e.getMessage()));
        }
        headers.remove(Envelope.KEY);
        byte[] key =
                message.key().map(text -> text.getBytes(StandardCharsets.UTF_8)).orElse(null);
        try {
            publisher.publish(
                    message.target(), key, message.body(), KafkaPublisher.changed(new RecordHeaders(), headers));
            return Reply.done();
        } catch (KafkaPublisher.UnfitRecordException e) {
            return Reply.refused(String.valueOf(e.getMessage()));
        }
    }

    /** Ends the connections. Idempotent. */
    @Override
    public void close() {
        publisher.close();
    }
}
