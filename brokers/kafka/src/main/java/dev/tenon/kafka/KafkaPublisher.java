package dev.tenon.kafka;

import dev.tenon.OutcomeUnknownException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Publishes records and waits until every replica in sync has them ({@code acks=all}, idempotent). Thread-safe. */
final class KafkaPublisher implements AutoCloseable {
    /** Together less than half of an outbox's claim (30 s): a send ends before somebody else takes over. */
    private static final Duration METADATA_LIMIT = Duration.ofSeconds(5);

    private static final Duration DELIVERY_LIMIT = Duration.ofSeconds(10);
    private static final Duration REQUEST_LIMIT = Duration.ofSeconds(4);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);
    private static final int REQUEST_SIZE_MAX = 4 << 20;

    private final KafkaProducer<byte[], byte[]> producer;
    private final String servers;

    private KafkaPublisher(KafkaProducer<byte[], byte[]> producer, String servers) {
        this.producer = producer;
        this.servers = servers;
    }

    /** A record can never be published as it is. */
    static final class UnfitRecordException extends Exception {
        private static final long serialVersionUID = 1;

        UnfitRecordException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static KafkaPublisher open(Map<String, ?> settings) {
        Map<String, Object> all = new HashMap<>();
        all.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, METADATA_LIMIT.toMillis());
        all.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, (int) DELIVERY_LIMIT.toMillis());
        all.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) REQUEST_LIMIT.toMillis());
        all.put(ProducerConfig.LINGER_MS_CONFIG, 0);
        all.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, REQUEST_SIZE_MAX);
        all.putAll(settings);
        requireFixed(all, ProducerConfig.ACKS_CONFIG, "all");
        requireFixed(all, ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
        requireFixed(all, ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        requireFixed(all, ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        return new KafkaPublisher(new KafkaProducer<>(all), servers(settings));
    }

    /** Sets what must be so, and refuses what contradicts it. */
    static void requireFixed(Map<String, Object> settings, String name, String value) {
        Object given = settings.put(name, value);
        if (given != null && !given.toString().toLowerCase(Locale.ROOT).equals(value.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException(
                    name + " is " + value + ", and can't be " + given + ": the guarantees stand on it; leave it out");
        }
    }

    static String servers(Map<String, ?> settings) {
        Object servers = settings.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG);
        if (servers == null) {
            throw new IllegalArgumentException(
                    "The settings need bootstrap.servers, such as kafka-1:9092,kafka-2:9092");
        }
        return servers.toString();
    }

    /** Returns when the record is safe. */
    void publish(String topic, byte @Nullable [] key, byte @Nullable [] body, Headers headers)
            throws UnfitRecordException, InterruptedException {
        try {
            producer.send(new ProducerRecord<>(topic, null, key, body, headers)).get();
        } catch (ExecutionException e) {
            Throwable why = Objects.requireNonNullElse(e.getCause(), e);
            if (why instanceof InvalidTopicException || why instanceof RecordTooLargeException) {
                throw new UnfitRecordException(
                        "Kafka never takes it for topic " + topic + ": " + why.getMessage(), why);
            }
            throw new OutcomeUnknownException(
                    "Topic " + topic + " of Kafka at " + servers
                            + " has not acknowledged it (does the topic exist, and is"
                            + " a broker reachable, and permitted?): " + why.getMessage(),
                    why);
        }
    }

    static Map<String, String> text(Headers headers) {
        Map<String, String> text = new LinkedHashMap<>();
        for (Header header : headers) {
            text.put(header.key(), header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8));
        }
        return text;
    }

    /** Those wanted; one that was there before and is not changed stays as it was, byte by byte. */
    static Headers changed(Headers before, Map<String, String> wanted) {
        Map<String, String> old = text(before);
        RecordHeaders changed = new RecordHeaders();
        for (Header header : before) {
            if (Objects.equals(old.get(header.key()), wanted.get(header.key()))) {
                changed.add(header);
            }
        }
        wanted.forEach((name, value) -> {
            if (!value.equals(old.get(name))) {
                changed.add(name, value.getBytes(StandardCharsets.UTF_8));
            }
        });
        return changed;
    }

    @Override
    public void close() {
        producer.close(CLOSE_LIMIT);
    }
}
