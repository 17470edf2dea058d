package dev.tenon.rocketmq;

import dev.tenon.BackendUnavailableException;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Envelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;

/**
 * The dead letters of a topic and a group: what they are, and back with them once their trouble was mended. How far
 * they were replayed is an offset of the group {@code <group>-replay}; RocketMQ deletes them with the files that they
 * are in ({@code fileReservedTime}). Thread-safe.
 */
public final class RocketMqDeadLetters {
    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration READ_LIMIT = Duration.ofSeconds(30);
    private static final int BATCH = 32;

    private final RocketMqCluster cluster;
    private final String topic;
    private final ConsumerOptions options;

    private RocketMqDeadLetters(RocketMqCluster cluster, String topic, ConsumerOptions options) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
        this.topic = Objects.requireNonNull(topic, "topic");
        this.options = Objects.requireNonNull(options, "options");
    }

    /** Those that a {@link RocketMqReceiver} with this topic and these options writes. */
    public static RocketMqDeadLetters of(RocketMqCluster cluster, String topic, ConsumerOptions options) {
        return new RocketMqDeadLetters(cluster, topic, options);
    }

    /** A consumer, and a publisher. */
    private record Session(DefaultLitePullConsumer consumer, RocketMqPublisher publisher) implements AutoCloseable {
        @Override
        public void close() {
            try {
                consumer.shutdown();
            } finally {
                publisher.close();
            }
        }
    }

    /**
     * Those that were not replayed, the oldest of each queue first.
     *
     * @param limit how many at most
     * @throws IllegalStateException if there is no topic of dead letters
     * @throws BackendUnavailableException if no name server or no broker answers
     */
    public List<DeadLetter> list(int limit) {
        try (Session session = open()) {
            return left(session, limit).stream()
                    .map(found -> Envelope.deadLetter(RocketMqRecords.headers(found), found.getBody()))
                    .toList();
        } catch (MQClientException e) {
            throw failed(e);
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
        try (Session session = open()) {
            int replayed = 0;
            for (MessageExt found : left(session, limit)) {
                Map<String, String> headers = RocketMqRecords.headers(found);
                session.publisher()
                        .publish(RocketMqRecords.of(
                                headers.getOrDefault(Envelope.DEAD_FROM, topic),
                                Envelope.replayed(headers, by, options.time().now()),
                                found.getBody()));
                RocketMqConsumers.commit(
                        session.consumer(), RocketMqConsumers.queue(found), found.getQueueOffset() + 1);
                replayed++;
            }
            return replayed;
        } catch (RocketMqPublisher.UnfitRecordException e) {
            throw new IllegalStateException(e.getMessage(), e);
        } catch (MQClientException | MQBrokerException | RemotingException e) {
            throw failed(e);
        }
    }

    private BackendUnavailableException failed(Exception e) {
        return new BackendUnavailableException(
                cluster + " does not give the dead letters of " + topic + ": " + RocketMqPublisher.reason(e), e);
    }

    private Session open() throws MQClientException {
        DefaultLitePullConsumer consumer = RocketMqConsumers.make(cluster, options.group() + "-replay", BATCH);
        consumer.start();
        return new Session(consumer, RocketMqPublisher.open(cluster));
    }

    private List<MessageExt> left(Session session, int limit) throws MQClientException {
        DefaultLitePullConsumer consumer = session.consumer();
        Collection<MessageQueue> queues = RocketMqConsumers.queues(consumer, options.deadLettersOf(topic), cluster);
        consumer.assign(queues);
        Map<MessageQueue, Long> ends = new HashMap<>();
        for (MessageQueue queue : queues) {
            long[] bounds = session.publisher().bounds(queue);
            if (Math.max(bounds[0], consumer.committed(queue)) < bounds[1]) {
                ends.put(queue, bounds[1]);
            }
        }
        List<MessageExt> found = new ArrayList<>();
        long since = options.time().nanoTime();
        while (!ends.isEmpty() && found.size() < limit) {
            if (options.time().nanoTime() - since > READ_LIMIT.toNanos()) {
                throw new BackendUnavailableException(cluster + " does not give all of " + ends.keySet());
            }
            for (MessageExt message : consumer.poll(POLL.toMillis())) {
                found.add(message);
                MessageQueue queue = RocketMqConsumers.queue(message);
                if (message.getQueueOffset() + 1 >= ends.getOrDefault(queue, 0L)) {
                    ends.remove(queue);
                }
            }
        }
        return found.subList(0, Math.min(limit, found.size()));
    }
}
