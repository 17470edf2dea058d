package dev.tenon.rocketmq;

import dev.tenon.tx.message.Envelope;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.rocketmq.client.Validators;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.message.Message;
import org.apache.rocketmq.common.message.MessageAccessor;
import org.apache.rocketmq.common.message.MessageConst;
import org.apache.rocketmq.common.message.MessageDecoder;
import org.apache.rocketmq.common.message.MessageExt;

/** What a message looks like in RocketMQ, where headers are <i>properties</i>, and some of them are RocketMQ's own. */
final class RocketMqRecords {
    /** Of the 32 KB that RocketMQ has for them; the history of a dead letter needs the rest. */
    private static final int PROPERTIES_LENGTH_MAX = 12_000;

    /** Those that RocketMQ itself does not keep from being set. */
    private static final Set<String> MORE_RESERVED = Set.of(
            MessageConst.PROPERTY_TRANSACTION_ID,
            MessageConst.PROPERTY_TRANSACTION_CHECK_TIMES,
            MessageConst.PROPERTY_CHECK_IMMUNITY_TIME_IN_SECONDS,
            MessageConst.PROPERTY_TRANS_OFFSET,
            MessageConst.PROPERTY_INNER_NUM,
            MessageConst.PROPERTY_INNER_BASE,
            MessageConst.PROPERTY_INNER_MULTI_DISPATCH,
            MessageConst.PROPERTY_SHARDING_KEY,
            MessageConst.PROPERTY_REDIRECT,
            MessageConst.PROPERTY_TRACE_CONTEXT);

    private RocketMqRecords() {}

    /**
     * A message as it is sent.
     *
     * @throws IllegalArgumentException if RocketMQ can't carry it
     */
    static Message of(dev.tenon.tx.Message message) {
        Map<String, String> headers = new TreeMap<>(Envelope.headers(message));
        if (message.type().isEmpty()) {
            headers.remove(Envelope.TYPE);
        }
        Message made = of(message.target(), headers, message.body());
        // By which RocketMQ's own tools find it.
        made.setKeys(message.id());
        int length =
                MessageDecoder.messageProperties2String(made.getProperties()).getBytes(StandardCharsets.UTF_8).length;
        if (length > PROPERTIES_LENGTH_MAX) {
            throw new IllegalArgumentException("Its headers have " + length + " bytes, at most " + PROPERTIES_LENGTH_MAX
                    + " are allowed; put them into the body");
        }
        return made;
    }

    /**
     * One with these headers.
     *
     * @throws IllegalArgumentException if RocketMQ can't carry it
     */
    static Message of(String topic, Map<String, String> headers, byte[] body) {
        try {
            Validators.checkTopic(topic);
            Validators.isNotAllowedSendTopic(topic);
        } catch (MQClientException e) {
            throw new IllegalArgumentException(e.getErrorMessage(), e);
        }
        if (body.length == 0) {
            throw new IllegalArgumentException("RocketMQ takes no message without a body");
        }
        Message made = new Message(topic, body);
        headers.forEach((name, value) -> {
            requireFit(name, value);
            MessageAccessor.putProperty(made, name, value);
        });
        String key = headers.get(Envelope.KEY);
        if (key != null) {
            MessageAccessor.putProperty(made, MessageConst.PROPERTY_SHARDING_KEY, key);
        }
        return made;
    }

    private static void requireFit(String name, String value) {
        if (reserved(name)) {
            throw new IllegalArgumentException(
                    "Header \"" + name + "\" is a property of RocketMQ's own; take another name");
        }
        if (value.isEmpty()) {
            throw new IllegalArgumentException(
                    "Header \"" + name + "\" is empty, and RocketMQ loses empty ones; leave it out");
        }
        if (value.indexOf(MessageDecoder.NAME_VALUE_SEPARATOR) >= 0
                || value.indexOf(MessageDecoder.PROPERTY_SEPARATOR) >= 0) {
            throw new IllegalArgumentException("Header \"" + name
                    + "\" has U+0001 or U+0002 in it, which RocketMQ puts between headers; put it into the body");
        }
    }

    private static boolean reserved(String name) {
        return MessageConst.STRING_HASH_SET.contains(name)
                || MORE_RESERVED.contains(name)
                || name.startsWith(MessageConst.PROPERTY_TRANSIENT_PREFIX);
    }

    /** The headers that one came with. */
    static Map<String, String> headers(MessageExt found) {
        Map<String, String> headers = new TreeMap<>(found.getProperties());
        headers.keySet().removeIf(RocketMqRecords::reserved);
        String shardingKey = found.getProperty(MessageConst.PROPERTY_SHARDING_KEY);
        if (shardingKey != null) {
            headers.putIfAbsent(Envelope.KEY, shardingKey);
        }
        if (found.getTags() != null && !found.getTags().isEmpty()) {
            headers.putIfAbsent(Envelope.TYPE, found.getTags());
        }
        return headers;
    }

    /** The message that came; RocketMQ's own ID of it, which its sender gave it, if it has no other. */
    static dev.tenon.tx.Message open(String topic, MessageExt found) {
        return Envelope.open(topic, headers(found), found.getBody(), Optional.ofNullable(found.getMsgId()));
    }
}
