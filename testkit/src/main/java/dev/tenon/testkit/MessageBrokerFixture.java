package dev.tenon.testkit;

import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.MessageSink;
import java.util.List;

/** A real broker, and what Tenon has for it, for {@link MessageBrokerContract}. */
public interface MessageBrokerFixture {
    /** What the consumers of the contract's tests go by. */
    ConsumerOptions OPTIONS = ConsumerOptions.of("points");

    /** Makes a topic or queue, and that of its dead letters under {@link #OPTIONS}. */
    void create(String target) throws Exception;

    /** A sink, which the caller closes if it is {@link AutoCloseable}. */
    MessageSink sink() throws Exception;

    /** One that gives up soon, where the broker's client can be told so: for a broker that is going to be down. */
    default MessageSink hastySink() throws Exception {
        return sink();
    }

    /** A consumer that runs until it is closed. */
    AutoCloseable receiver(String target, MessageSink handler, ConsumerOptions options) throws Exception;

    /** The dead letters of a target. */
    List<DeadLetter> deadLetters(String target) throws Exception;

    /** Sends dead letters of a target back to it. */
    int replay(String target, int limit, String by) throws Exception;

    /** Kill -9. */
    void kill();

    /** Brings it up again with its data. */
    void restart() throws Exception;
}
