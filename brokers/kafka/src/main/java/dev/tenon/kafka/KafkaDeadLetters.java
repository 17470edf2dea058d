package dev.tenon.kafka;

import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The dead letters of a topic and a group: what they are, and back with them once their trouble was mended. How far
 * they were replayed is an offset of the group {@code <group>-replay}; Kafka deletes them by the topic's own retention.
 * Thread-safe.
 */
public final class KafkaDeadLetters {
    private static final Duration POLL = Duration.ofSeconds(1);
    private static final int RECORDS_MAX = 100;

    private final Map<String, ?> settings;
    private final String topic;
    private final ConsumerOptions options;
    private final String servers;

    private KafkaDeadLetters(Map<String, ?> settings, String topic, ConsumerOptions options) {
        this.settings = Map.copyOf(settings);
        this.topic = Objects.requireNonNull(topic, "topic");
        this.options = Objects.requireNonNull(options, "options");
        this.servers = KafkaPublisher.servers(settings);
    }

    /** Those that a {@link KafkaReceiver} with these settings, topic and options writes. */
    public static KafkaDeadLetters of(Map<String, ?> settings, String topic, ConsumerOptions options) {
        return new KafkaDeadLetters(settings, topic, options);
    }

    /**
     * Those that were not replayed, the oldest of each partition first.
     *
     * @param limit how many at most
     * @throws IllegalStateException if there is no topic of dead letters
     * @throws dev.tenon.BackendUnavailableException if no broker answers
     */
    public List<DeadLetter> list(int limit) {
        try (KafkaConsumer<byte[], byte[]> consumer = open()) {
            return left(consumer, limit).stream()
                    .map(found -> Envelope.deadLetter(
                            KafkaPublisher.text(found.headers()), found.value() == null ? new byte[0] : found.value()))
                    .toList();
        }
    }

    /**
     * Sends them back to their topic, where they are behind all that is there, and have all their attempts again. Every
     * group that reads the topic gets them: those that had no trouble with them know them by their ID.
     *
     * @param limit how many at most
     * @param by who says so, for the history
     * @return how many
     * @throws dev.tenon.OutcomeUnknownException if one may have been sent: it may be twice, if this is called again
     */
    public int replay(int limit, String by) throws InterruptedException {
        try (KafkaConsumer<byte[], byte[]> consumer = open();
                KafkaPublisher publisher = KafkaPublisher.open(KafkaConsumers.forPublishing(settings))) {
            int replayed = 0;
            for (ConsumerRecord<byte[], byte[]> found : left(consumer, limit)) {
                Map<String, String> headers = KafkaPublisher.text(found.headers());
                String from = Objects.requireNonNullElse(headers.get(Envelope.DEAD_FROM), topic);
                publisher.publish(
                        from,
                        found.key(),
                        found.value(),
                        KafkaPublisher.changed(
                                found.headers(),
                                Envelope.replayed(headers, by, options.time().now())));
                consumer.commitSync(Map.of(
                        new TopicPartition(found.topic(), found.partition()),
                        new OffsetAndMetadata(found.offset() + 1)));
                replayed++;
            }
            return replayed;
        } catch (KafkaPublisher.UnfitRecordException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }

    private KafkaConsumer<byte[], byte[]> open() {
        return KafkaConsumers.open(settings, options.group() + "-replay", RECORDS_MAX);
    }

    private List<ConsumerRecord<byte[], byte[]>> left(KafkaConsumer<byte[], byte[]> consumer, int limit) {
        List<TopicPartition> partitions = KafkaConsumers.partitions(consumer, options.deadLettersOf(topic), servers);
        consumer.assign(partitions);
        Map<TopicPartition, OffsetAndMetadata> replayed = consumer.committed(Set.copyOf(partitions));
        Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
        for (TopicPartition partition : partitions) {
            OffsetAndMetadata committed = replayed.get(partition);
            if (committed == null) {
                consumer.seekToBeginning(Set.of(partition));
            } else {
                consumer.seek(partition, committed);
            }
        }
        List<ConsumerRecord<byte[], byte[]>> found = new ArrayList<>();
        Set<TopicPartition> open = new HashSet<>(partitions);
        open.removeIf(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
        while (!open.isEmpty() && found.size() < limit) {
            consumer.poll(POLL).forEach(found::add);
            open.removeIf(partition -> consumer.position(partition) >= ends.getOrDefault(partition, 0L));
        }
        return found.subList(0, Math.min(limit, found.size()));
    }
}
