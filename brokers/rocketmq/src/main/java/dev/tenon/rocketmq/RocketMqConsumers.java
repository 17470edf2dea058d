package dev.tenon.rocketmq;

import dev.tenon.BackendUnavailableException;
import java.util.Collection;
import java.util.Map;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.consumer.DefaultLitePullConsumer;
import org.apache.rocketmq.client.exception.MQBrokerException;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.consumer.ConsumeFromWhere;
import org.apache.rocketmq.common.message.MessageExt;
import org.apache.rocketmq.common.message.MessageQueue;
import org.apache.rocketmq.remoting.exception.RemotingException;
import org.apache.rocketmq.remoting.protocol.ResponseCode;

/** Makes consumers, and says at the door what they lack. */
final class RocketMqConsumers {
    private RocketMqConsumers() {}

    /**
     * A consumer that is not started.
     *
     * @throws IllegalArgumentException if the group's name is none of RocketMQ's
     */
    static DefaultLitePullConsumer make(RocketMqCluster cluster, String group, int batch) {
        try {
            Validators.checkGroup(group);
        } catch (MQClientException e) {
            throw new IllegalArgumentException(e.getErrorMessage(), e);
        }
        DefaultLitePullConsumer consumer =
                new DefaultLitePullConsumer(group, cluster.hook().orElse(null));
        consumer.resetClientConfig(cluster.forOneClient());
        consumer.setAutoCommit(false);
        consumer.setConsumeFromWhere(ConsumeFromWhere.CONSUME_FROM_FIRST_OFFSET);
        consumer.setPullBatchSize(batch);
        return consumer;
    }

    /**
     * The queues of a topic, for a consumer that is started.
     *
     * @throws IllegalStateException if there is no such topic
     * @throws BackendUnavailableException if no name server answers
     */
    static Collection<MessageQueue> queues(DefaultLitePullConsumer consumer, String topic, RocketMqCluster cluster) {
        try {
            return consumer.fetchMessageQueues(topic);
        } catch (MQClientException e) {
            throw lacking(topic, cluster, e);
        }
    }

    /** Why there are no queues. */
    static RuntimeException lacking(String topic, RocketMqCluster cluster, MQClientException e) {
        for (Throwable why = e; why != null; why = why.getCause()) {
            if (why instanceof MQClientException told && told.getResponseCode() == ResponseCode.TOPIC_NOT_EXIST) {
                return new IllegalStateException(
                        cluster + " has no topic " + topic + ": create it, or take another name", e);
            }
        }
        return new BackendUnavailableException(
                "No name server of " + cluster + " answers: " + RocketMqPublisher.reason(e), e);
    }

    /** Writes an offset, and returns when the broker has it. */
    static void commit(DefaultLitePullConsumer consumer, MessageQueue queue, long offset)
            throws MQClientException, MQBrokerException, RemotingException, InterruptedException {
        // First where the client has what it writes now and then by itself: it would write an older one over ours.
        consumer.commit(Map.of(queue, offset), false);
        consumer.getOffsetStore().updateConsumeOffsetToBroker(queue, offset, false);
    }

    static MessageQueue queue(MessageExt found) {
        return new MessageQueue(found.getTopic(), found.getBrokerName(), found.getQueueId());
    }
}
