package dev.tenon.rocketmq;

import dev.tenon.testkit.MessageBrokerFixture;
import dev.tenon.testkit.RocketMqServer;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.MessageSink;
import java.time.Duration;
import java.util.List;
import org.apache.rocketmq.client.ClientConfig;
import org.apache.rocketmq.client.exception.MQClientException;
import org.apache.rocketmq.common.TopicConfig;
import org.apache.rocketmq.tools.admin.DefaultMQAdminExt;
import org.awaitility.Awaitility;

/** A name server and a broker of a test class's own. */
final class RocketMqBroker implements MessageBrokerFixture, AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(60);
    /** For a broker that is there: its answers may be late, as the machine's are at times. */
    private static final int ANSWER_LIMIT_MILLIS = 20_000;

    private final RocketMqServer server = RocketMqServer.start();
    private final DefaultMQAdminExt tool = new DefaultMQAdminExt(ANSWER_LIMIT_MILLIS);

    RocketMqBroker() throws MQClientException {
        tool.setNamesrvAddr(server.nameServers());
        tool.start();
    }

    String nameServers() {
        return server.nameServers();
    }

    RocketMqCluster cluster() {
        ClientConfig settings = new ClientConfig();
        settings.setNamesrvAddr(server.nameServers());
        settings.setMqClientApiTimeout(ANSWER_LIMIT_MILLIS);
        settings.setPollNameServerInterval(1_000);
        settings.setHeartbeatBrokerInterval(500);
        settings.setPullTimeDelayMillsWhenException(200);
        return RocketMqCluster.of(settings);
    }

    @Override
    public void create(String target) throws Exception {
        for (String topic : List.of(target, OPTIONS.deadLettersOf(target))) {
            // An answer that is late changes nothing if it is asked for again.
            Awaitility.await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                tool.createAndUpdateTopicConfig(server.broker(), new TopicConfig(topic, 2, 2));
                return true;
            });
        }
        // What the broker has made is known to the name server a little later.
        for (String topic : List.of(target, OPTIONS.deadLettersOf(target))) {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .ignoreExceptions()
                    .until(() ->
                            !tool.examineTopicRouteInfo(topic).getQueueDatas().isEmpty());
        }
    }

    @Override
    public MessageSink sink() {
        return RocketMqSink.connect(cluster());
    }

    @Override
    public AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) {
        return RocketMqReceiver.start(cluster(), target, handler, options);
    }

    @Override
    public List<DeadLetter> deadLetters(String target) {
        return RocketMqDeadLetters.of(cluster(), target, OPTIONS).list(10);
    }

    @Override
    public int replay(String target, int limit, String by) throws InterruptedException {
        return RocketMqDeadLetters.of(cluster(), target, OPTIONS).replay(limit, by);
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public void close() {
        tool.shutdown();
        server.close();
    }
}
