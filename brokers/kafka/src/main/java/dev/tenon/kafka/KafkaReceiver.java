package dev.tenon.kafka;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.Deliveries;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;

/**
 * Takes messages from a topic of Kafka to a handler, such as {@link dev.tenon.tx.message.Inbox#handler}: one member of
 * its consumer group, with a thread of its own. Start more of them, here or elsewhere, to share the partitions.
 *
 * <p>Promise: the offset goes beyond a message after its handler returned, or it is safe among the dead letters. So
 * each message is handled at least once, and through an inbox has its effect once. Messages of one key are handled in
 * the order of their partition; one that fails is tried again ({@link ConsumerOptions#retry}), while those of other
 * keys go on, and is then put to the topic of dead letters with its history. A record without an ID
 * ({@link Envelope#ID}) has its place as its ID. Thread-safe.
 */
public final class KafkaReceiver implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration WORK = Duration.ofMillis(200);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    private static final Duration COMMIT_LIMIT = Duration.ofSeconds(5);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    private final String topic;
    private final ConsumerOptions options;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaPublisher publisher;
    private final Deliveries<Place> deliveries;
    private final Map<TopicPartition, Progress> progress = new HashMap<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();

    private record Place(TopicPartition partition, ConsumerRecord<byte[], byte[]> found) {}

    /** Which offsets of a partition are in our hands. */
    private static final class Progress {
        private final NavigableSet<Long> open = new TreeSet<>();
        private long next;
        private long committed = -1;

        /** Everything before it is settled. */
        long settled() {
            return open.isEmpty() ? next : open.first();
        }
    }

    private KafkaReceiver(
            String topic,
            MessageSink handler,
            ConsumerOptions options,
            KafkaConsumer<byte[], byte[]> consumer,
            KafkaPublisher publisher) {
        this.topic = topic;
        this.options = options;
        this.consumer = consumer;
        this.publisher = publisher;
        this.deliveries = new Deliveries<>(handler, options, new Exits());
        this.thread = DaemonThreads.of("tenon-kafka-" + topic, this::run);
    }

    /**
     * Begins to take messages.
     *
     * @param settings of a Kafka consumer, by Kafka's own names: {@code bootstrap.servers}, and what security needs;
     *     those of the producer that writes dead letters may be among them. A new group begins with the oldest message
     *     ({@code auto.offset.reset}), and sees what is committed ({@code isolation.level})
     * @param topic which exists, as does that of its dead letters
     * @throws IllegalArgumentException if the settings contradict the promise ({@code enable.auto.commit},
     *     {@code group.id})
     * @throws IllegalStateException if there is no such topic, or none for its dead letters
     * @throws BackendUnavailableException if no broker answers
     */
    public static KafkaReceiver start(
            Map<String, ?> settings, String topic, MessageSink handler, ConsumerOptions options) {
        String servers = KafkaPublisher.servers(settings);
        KafkaConsumer<byte[], byte[]> consumer =
                KafkaConsumers.open(settings, options.group(), (options.inFlight() + 1) / 2);
        try {
            KafkaConsumers.partitions(consumer, topic, servers);
            KafkaConsumers.partitions(consumer, options.deadLettersOf(topic), servers);
            KafkaPublisher publisher = KafkaPublisher.open(KafkaConsumers.forPublishing(settings));
            KafkaReceiver receiver = new KafkaReceiver(topic, handler, options, consumer, publisher);
            receiver.thread.start();
            return receiver;
        } catch (RuntimeException e) {
            consumer.close();
            throw e;
        }
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
        consumer.wakeup();
        try {
            thread.join(CLOSE_LIMIT.toMillis());
            if (thread.isAlive()) {
                thread.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            consumer.subscribe(Set.of(topic), new Shares());
            while (!closed) {
                turn();
            }
        } catch (InterruptedException | InterruptException e) {
            Thread.currentThread().interrupt();
        } finally {
            end();
        }
    }

    private void turn() throws InterruptedException {
        try {
            take();
            work();
            commit();
        } catch (WakeupException e) {
            // close() was called.
        } catch (InterruptException e) {
            throw e;
        } catch (RuntimeException e) { // whatever the driver throws must not end the consumer for good
            trouble = Optional.of("Kafka: " + e.getMessage());
            options.time().park(AGAIN);
        }
    }

    private void take() {
        if (deliveries.held() > options.inFlight() / 2) { // one poll brings the other half
            consumer.pause(consumer.assignment());
        } else {
            consumer.resume(consumer.paused());
        }
        Duration wait =
                deliveries.idle().filter(idle -> idle.compareTo(POLL) < 0).orElse(POLL);
        for (ConsumerRecord<byte[], byte[]> found : consumer.poll(wait)) {
            TopicPartition partition = new TopicPartition(found.topic(), found.partition());
            Progress its = progress.computeIfAbsent(partition, key -> new Progress());
            its.open.add(found.offset());
            its.next = found.offset() + 1;
            add(new Place(partition, found));
        }
    }

    private void add(Place place) {
        ConsumerRecord<byte[], byte[]> found = place.found();
        Map<String, String> headers = new TreeMap<>(KafkaPublisher.text(found.headers()));
        headers.remove(Envelope.KEY);
        try {
            if (found.key() != null) {
                headers.put(Envelope.KEY, KafkaConsumers.keyText(found.key()));
            }
            byte[] body = found.value() == null ? new byte[0] : found.value();
            String id = found.topic() + ":" + found.partition() + ":" + found.offset();
            deliveries.add(place, Envelope.open(topic, headers, body, Optional.of(id)), headers);
        } catch (IllegalArgumentException e) {
            deliveries.addBroken(place, topic, headers, String.valueOf(e.getMessage()));
        }
    }

    /** For a while, and then the group wants to hear that we live. */
    private void work() throws InterruptedException {
        long since = options.time().nanoTime();
        boolean worked = false;
        while (!closed && options.time().nanoTime() - since < WORK.toNanos() && deliveries.runOnce()) {
            worked = true;
        }
        if (worked) {
            trouble = deliveries.trouble();
        }
    }

    private void commit() {
        Map<TopicPartition, OffsetAndMetadata> settled = new HashMap<>();
        progress.forEach((partition, its) -> {
            if (its.settled() != its.committed) {
                settled.put(partition, new OffsetAndMetadata(its.settled()));
            }
        });
        if (!settled.isEmpty()) {
            consumer.commitSync(settled, COMMIT_LIMIT);
            progress.values().forEach(its -> its.committed = its.settled());
        }
    }

    private void end() {
        try {
            commit();
        } catch (RuntimeException e) {
            trouble = Optional.of("Kafka: " + e.getMessage()); // it comes again
        }
        try {
            consumer.close();
        } finally {
            publisher.close();
        }
    }

    private final class Exits implements Deliveries.Exits<Place> {
        @Override
        public void acknowledge(Place place) {
            Progress its = progress.get(place.partition());
            if (its != null) {
                its.open.remove(place.found().offset());
            }
        }

        @Override
        public void bury(Place place, Map<String, String> headers) throws Exception {
            ConsumerRecord<byte[], byte[]> found = place.found();
            Map<String, String> wanted = new TreeMap<>(headers);
            wanted.remove(Envelope.KEY);
            publisher.publish(
                    options.deadLettersOf(topic),
                    found.key(),
                    found.value(),
                    KafkaPublisher.changed(found.headers(), wanted));
        }
    }

    /** Partitions come and go with the members of the group. */
    private final class Shares implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            // Polling brings what is in them.
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            try {
                commit();
            } catch (KafkaException e) {
                trouble = Optional.of("Kafka: " + e.getMessage()); // whoever has them next does it again
            } finally {
                onPartitionsLost(partitions);
            }
        }

        @Override
        public void onPartitionsLost(Collection<TopicPartition> partitions) {
            deliveries.forget(place -> partitions.contains(place.partition()));
            progress.keySet().removeAll(partitions);
        }
    }
}
