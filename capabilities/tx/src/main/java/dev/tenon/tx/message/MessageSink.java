package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;

/**
 * Where messages go: a broker, or handlers in this process ({@link MessageHandlers}). The same message may come more
 * than once; its {@link Message#id} tells. Implementations are thread-safe, and bound the time that a call takes: it
 * has to be less than {@link OutboxOptions#claim}, or another process sends the message meanwhile.
 */
@FunctionalInterface
public interface MessageSink {
    /**
     * Sends a message, and returns when it is as safe as it will ever be: acknowledged by the broker, or handled.
     *
     * @return {@link Reply.Done} if it is sent; {@link Reply.Refused} if it never can be, however often it is tried: it
     *     becomes a dead letter at once; {@link Reply.NotYet} to try again later without counting it as a failure
     * @throws Exception if it is not known whether it is sent, or it failed: it is tried again
     */
    Reply send(Message message) throws Exception;
}
