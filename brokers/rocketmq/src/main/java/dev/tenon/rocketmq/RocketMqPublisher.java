package dev.tenon.rocketmq;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.message.Envelope;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.client.producer.DefaultMQProducer;
import org.apache.rocketmq.client.producer.SendResult;
import org.apache.rocketmq.client.producer.SendStatus;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;
import org.jspecify.annotations.Nullable;

/** Publishes messages, and waits until the broker has each as safe as it is configured to have it. Thread-safe. */
final class RocketMqPublisher implements AutoCloseable {
    /**
     * Less than half of an outbox's claim (30 s): a send ends before somebody else takes over. Who asks for more gets
     * it.
     */
    private static final int SEND_LIMIT_MILLIS = 5_000;

    private final RocketMqCluster cluster;
    private final DefaultMQProducer producer;

    private RocketMqPublisher(RocketMqCluster cluster, DefaultMQProducer producer) {
        this.cluster = cluster;
        this.producer = producer;
    }

    /** A record can never be published as it is. */
    static final class UnfitRecordException extends Exception {
        private static final long serialVersionUID = 1;

        UnfitRecordException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    static RocketMqPublisher open(RocketMqCluster cluster) {
        DefaultMQProducer producer =
                new DefaultMQProducer("tenon-publisher", cluster.hook().orElse(null));
        prepare(producer, cluster);
        try {
            producer.start();
        } catch (MQClientException e) {
            throw new IllegalStateException(cluster + ": its client does not start: " + reason(e), e);
        }
        return new RocketMqPublisher(cluster, producer);
    }

    static void prepare(DefaultMQProducer producer, RocketMqCluster cluster) {
        producer.resetClientConfig(cluster.forOneClient());
        producer.setSendMsgTimeout(Math.max(SEND_LIMIT_MILLIS, producer.getMqClientApiTimeout()));
    }

    /** Returns when the record is safe. One attempt: the broker gets it once, or it fails. */
    void publish(Message made) throws UnfitRecordException, InterruptedException {
        String key = made.getProperty(Envelope.KEY);
        String place = "Topic " + made.getTopic() + " of " + cluster;
        SendResult result;
        try {
            result = producer.send(made, (queues, message, wanted) -> queue(queues, key), key);
        } catch (MQClientException | IllegalStateException e) {
            throw notSent(place, e);
        } catch (MQBrokerException e) {
            if (isUnfit(e)) {
                throw new UnfitRecordException(place + " never takes it: " + e.getErrorMessage(), e);
            }
            throw new OutcomeUnknownException(place + " has not taken it: " + e.getErrorMessage(), e);
        } catch (RemotingException e) {
            throw new OutcomeUnknownException(place + " has not acknowledged it: " + e.getMessage(), e);
        }
        if (result.getSendStatus() != SendStatus.SEND_OK) {
            throw new OutcomeUnknownException(
                    place + " has it, but not as safe as it should be: " + result.getSendStatus());
        }
    }

    /** What its client has found before anything was sent. */
    static BackendUnavailableException notSent(String place, Exception e) {
        return new BackendUnavailableException(
                place + " can't be reached (does the topic exist, and is a name server reachable?): " + reason(e), e);
    }

    /** RocketMQ's clients say what went wrong at the end of a chain of causes. */
    static String reason(Exception e) {
        Throwable last = e;
        while (last.getCause() != null) {
            last = last.getCause();
        }
        return last instanceof MQClientException own && own.getErrorMessage() != null
                ? own.getErrorMessage()
                : Objects.requireNonNullElse(last.getMessage(), last.toString());
    }

    static boolean isUnfit(MQBrokerException e) {
        return e.getResponseCode() == ResponseCode.MESSAGE_ILLEGAL;
    }

    /** Of one key, always the same, as long as the topic has the same queues. */
    private static MessageQueue queue(List<MessageQueue> queues, @Nullable String key) {
        int number = key == null
                ? ThreadLocalRandom.current().nextInt(queues.size())
                : Math.floorMod(key.hashCode(), queues.size());
        return queues.get(number);
    }

    /**
     * How many queues a topic has.
     *
     * @throws IllegalStateException if there is no such topic
     * @throws BackendUnavailableException if no name server answers
     */
    int queues(String topic) {
        try {
            return producer.fetchPublishMessageQueues(topic).size();
        } catch (MQClientException e) {
            throw RocketMqConsumers.lacking(topic, cluster, e);
        }
    }

    /** The first offset of a queue that is there, and the one behind the last. */
    @SuppressWarnings("deprecation") // only in favour of RocketMQ's tool for administrators, a module of its own
    long[] bounds(MessageQueue queue) {
        try {
            return new long[] {producer.minOffset(queue), producer.maxOffset(queue)};
        } catch (MQClientException e) {
            throw new BackendUnavailableException(
                    cluster + " does not say how much is in " + queue + ": " + reason(e), e);
        }
    }

    @Override
    public void close() {
        producer.shutdown();
    }
}
