package dev.tenon.rocketmq;

import dev.tenon.BackendUnavailableException;
import dev.tenon.DaemonThreads;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.Deliveries;
import dev.tenon.tx.message.MessageSink;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * Takes messages from a topic of RocketMQ to a handler, such as {@link dev.tenon.tx.message.Inbox#handler}: one member
 * of its consumer group, with a thread of its own. Start more of them, here or elsewhere, to share the queues.
 *
 * <p>Promise: the offset goes beyond a message after its handler returned, or it is safe among the dead letters. So
 * each message is handled at least once, and through an inbox has its effect once. Messages of one key are handled in
 * the order of their queue; one that fails is tried again ({@link ConsumerOptions#retry}), while those of other keys go
 * on, and is then put to the topic of dead letters with its history. A message without an ID
 * ({@link dev.tenon.tx.message.Envelope#ID}) has the one that RocketMQ's client gave it. While queues go from one
 * member to another, both may have them for a while: through an inbox, effects stay once and in order. Thread-safe.
 */
public final class RocketMqReceiver implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration WORK = Duration.ofMillis(200);
    private static final Duration AGAIN = Duration.ofSeconds(1);
    /** Also when nothing is new: an offset that can't be written tells that the broker is gone. */
    private static final Duration COMMIT_AGAIN = Duration.ofSeconds(10);

    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);
    private static final int BATCH_MAX = 32;

    private final String topic;
    private final ConsumerOptions options;
    private final DefaultLitePullConsumer consumer;
    private final RocketMqPublisher publisher;
    private final Deliveries<Place> deliveries;
    private final Map<MessageQueue, Progress> progress = new HashMap<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile Optional<String> trouble = Optional.empty();

    private record Place(MessageQueue queue, MessageExt found) {}

    /** Which offsets of a queue are in our hands. */
    private static final class Progress {
        private final NavigableSet<Long> open = new TreeSet<>();
        private long next;
        private long committed = -1;
        private long committedAtNanos;

        /** Everything before it is settled. */
        long settled() {
            return open.isEmpty() ? next : open.first();
        }
    }

    private RocketMqReceiver(
            String topic,
            MessageSink handler,
            ConsumerOptions options,
            DefaultLitePullConsumer consumer,
            RocketMqPublisher publisher) {
        this.topic = topic;
        this.options = options;
        this.consumer = consumer;
        this.publisher = publisher;
        this.deliveries = new Deliveries<>(handler, options, new Exits());
        this.thread = DaemonThreads.of("tenon-rocketmq-" + topic, this::run);
    }

    /**
     * Begins to take messages. A new group begins with the oldest message.
     *
     * @param topic which exists, as does that of its dead letters
     * @throws IllegalArgumentException if RocketMQ does not like the group's name
     * @throws IllegalStateException if there is no such topic, or none for its dead letters
     * @throws BackendUnavailableException if no name server answers
     */
    public static RocketMqReceiver start(
            RocketMqCluster cluster, String topic, MessageSink handler, ConsumerOptions options) {
        DefaultLitePullConsumer consumer =
                RocketMqConsumers.make(cluster, options.group(), Math.min(BATCH_MAX, options.inFlight()));
        RocketMqPublisher publisher = RocketMqPublisher.open(cluster);
        try {
            int queues = publisher.queues(topic);
            publisher.queues(options.deadLettersOf(topic));
            // Each queue has a thread that waits for what comes next in it.
            consumer.setPullThreadNums(Math.max(queues, consumer.getPullThreadNums()));
            consumer.setPullThresholdForQueue(options.inFlight());
            consumer.start();
            consumer.subscribe(topic, "*");
            // Now it knows the brokers, and tells them at once that it is there: by itself, after a second.
            consumer.subscribe(topic, "*");
            RocketMqReceiver receiver = new RocketMqReceiver(topic, handler, options, consumer, publisher);
            receiver.thread.start();
            return receiver;
        } catch (MQClientException e) {
            consumer.shutdown();
            publisher.close();
            throw new BackendUnavailableException(
                    cluster + " gives us nothing from topic " + topic + ": " + RocketMqPublisher.reason(e), e);
        } catch (RuntimeException e) {
            consumer.shutdown();
            publisher.close();
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
            while (!closed) {
                turn();
            }
        } catch (InterruptedException e) {
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
        } catch (MQClientException | MQBrokerException | RemotingException e) {
            trouble = Optional.of("RocketMQ: " + e.getMessage());
            options.time().park(AGAIN);
        } catch (RuntimeException e) { // whatever the driver throws must not end the consumer for good
            trouble = Optional.of("RocketMQ: " + e);
            options.time().park(AGAIN);
        }
    }

    private void take() throws MQClientException, InterruptedException {
        Set<MessageQueue> ours = consumer.assignment();
        if (progress.keySet().retainAll(ours)) {
            deliveries.forget(place -> !progress.containsKey(place.queue()));
        }
        Duration wait =
                deliveries.idle().filter(idle -> idle.compareTo(POLL) < 0).orElse(POLL);
        if (deliveries.held() + consumer.getPullBatchSize() > options.inFlight() && deliveries.held() > 0) {
            options.time().park(wait); // what is settled makes room
            return;
        }
        for (MessageExt found : consumer.poll(wait.toMillis())) {
            MessageQueue queue = RocketMqConsumers.queue(found);
            Progress its = progress.computeIfAbsent(queue, key -> new Progress());
            // A queue that went away and came back in between begins with what we still have.
            if (found.getQueueOffset() >= its.next) {
                its.open.add(found.getQueueOffset());
                its.next = found.getQueueOffset() + 1;
                add(new Place(queue, found));
            }
        }
    }

    private void add(Place place) {
        Map<String, String> headers = RocketMqRecords.headers(place.found());
        try {
            deliveries.add(place, RocketMqRecords.open(topic, place.found()), headers);
        } catch (IllegalArgumentException e) {
            deliveries.addBroken(place, topic, headers, String.valueOf(e.getMessage()));
        }
    }

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

    /** Tells the client, which writes it once more when a queue goes, and the broker, whose answer is waited for. */
    private void commit() throws MQClientException, MQBrokerException, RemotingException, InterruptedException {
        long now = options.time().nanoTime();
        for (Map.Entry<MessageQueue, Progress> entry : progress.entrySet()) {
            Progress its = entry.getValue();
            long settled = its.settled();
            if (settled != its.committed || now - its.committedAtNanos > COMMIT_AGAIN.toNanos()) {
                RocketMqConsumers.commit(consumer, entry.getKey(), settled);
                trouble = deliveries.trouble();
                its.committed = settled;
                its.committedAtNanos = now;
            }
        }
    }

    private void end() {
        try {
            commit();
        } catch (MQClientException | MQBrokerException | RemotingException | RuntimeException e) {
            trouble = Optional.of("RocketMQ: " + e.getMessage()); // it comes again
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            consumer.shutdown();
        } finally {
            publisher.close();
        }
    }

    private final class Exits implements Deliveries.Exits<Place> {
        @Override
        public void acknowledge(Place place) {
            Progress its = progress.get(place.queue());
            if (its != null) {
                its.open.remove(place.found().getQueueOffset());
            }
        }

        @Override
        public void bury(Place place, Map<String, String> headers) throws Exception {
            publisher.publish(RocketMqRecords.of(
                    options.deadLettersOf(topic), headers, place.found().getBody()));
        }
    }
}
