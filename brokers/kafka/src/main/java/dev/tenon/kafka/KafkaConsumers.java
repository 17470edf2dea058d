package dev.tenon.kafka;

import dev.tenon.BackendUnavailableException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** Makes consumers, and says at the door what they lack. */
final class KafkaConsumers {
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    private KafkaConsumers() {}

    static KafkaConsumer<byte[], byte[]> open(Map<String, ?> settings, String group, int recordsMax) {
        Map<String, Object> all = new HashMap<>();
        all.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, (int) ANSWER_LIMIT.toMillis());
        all.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, (int) ANSWER_LIMIT.toMillis());
        all.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        all.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        all.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, recordsMax);
        settings.forEach((name, value) -> {
            boolean onlyProducers = ProducerConfig.configNames().contains(name)
                    && !ConsumerConfig.configNames().contains(name);
            if (!onlyProducers) {
                all.put(name, value);
            }
        });
        KafkaPublisher.requireFixed(all, ConsumerConfig.GROUP_ID_CONFIG, group);
        KafkaPublisher.requireFixed(all, ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        KafkaPublisher.requireFixed(all, ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        String bytes = ByteArrayDeserializer.class.getName();
        KafkaPublisher.requireFixed(all, ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, bytes);
        KafkaPublisher.requireFixed(all, ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, bytes);
        return new KafkaConsumer<>(all);
    }

    /** What a producer may take of a consumer's settings. */
    static Map<String, Object> forPublishing(Map<String, ?> settings) {
        Map<String, Object> some = new HashMap<>(settings);
        some.keySet()
                .removeIf(name -> ConsumerConfig.configNames().contains(name)
                        && !ProducerConfig.configNames().contains(name));
        return some;
    }

    /**
     * The partitions of a topic.
     *
     * @throws IllegalStateException if there is no such topic
     * @throws BackendUnavailableException if no broker answers
     */
    static List<TopicPartition> partitions(KafkaConsumer<?, ?> consumer, String topic, String servers) {
        List<PartitionInfo> partitions;
        try {
            partitions = Objects.requireNonNullElse(consumer.partitionsFor(topic), List.of());
        } catch (TimeoutException e) {
            throw new BackendUnavailableException("No Kafka broker at " + servers + " answers", e);
        }
        if (partitions.isEmpty()) {
            throw new IllegalStateException(
                    "Kafka at " + servers + " has no topic " + topic + ": create it, or take another name");
        }
        return partitions.stream()
                .map(found -> new TopicPartition(topic, found.partition()))
                .toList();
    }

    /** A key as text: as it is if it is text, in Base64 if not. */
    static String keyText(byte[] key) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(key))
                    .toString();
            return text.isEmpty() || text.chars().anyMatch(Character::isISOControl)
                    ? "base64:" + Base64.getEncoder().encodeToString(key)
                    : text;
        } catch (CharacterCodingException e) {
            return "base64:" + Base64.getEncoder().encodeToString(key);
        }
    }
}
