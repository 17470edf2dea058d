package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * A sink that gives each message to the handler of its target in this process. A target without a handler is a failure,
 * and not a refusal: the next version of the process may have it. Immutable.
 */
public final class MessageHandlers implements MessageSink {
    private final Map<String, MessageSink> handlers;

    private MessageHandlers(Map<String, MessageSink> handlers) {
        this.handlers = Map.copyOf(handlers);
    }

    /** No handler at all. */
    public static MessageHandlers none() {
        return new MessageHandlers(Map.of());
    }

    /**
     * These, and one more.
     *
     * @throws IllegalArgumentException if the target has one already
     */
    public MessageHandlers with(String target, MessageSink handler) {
        Map<String, MessageSink> more = new HashMap<>(handlers);
        if (more.put(target, Objects.requireNonNull(handler, "handler")) != null) {
            throw new IllegalArgumentException("There is a handler for \"" + target + "\" already");
        }
        return new MessageHandlers(more);
    }

    @Override
    public Reply send(Message message) throws Exception {
        MessageSink handler = handlers.get(message.target());
        if (handler == null) {
            throw new IllegalStateException("This process has no handler for \"" + message.target() + "\"");
        }
        return handler.send(message);
    }
}
