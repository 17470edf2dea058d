package dev.tenon.examples.contributing;

import dev.tenon.BackendUnavailableException;
import dev.tenon.TenonException;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.DeadLetter;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A broker in this process: named queues, which it keeps while it is down. Thread-safe. */
final class QueueBroker {
    private final Map<String, Queue<Letter>> queues = new ConcurrentHashMap<>();
    private volatile boolean up = true;

    /** What a broker carries: headers and a body. Each has an identity of its own. */
    static final class Letter {
        final Map<String, String> headers;
        final byte[] body;

        Letter(Map<String, String> headers, byte[] body) {
            this.headers = headers;
            this.body = body;
        }
    }

    void create(String queue) {
        queues.putIfAbsent(queue, new ConcurrentLinkedQueue<>());
    }

    boolean isUp() {
        return up;
    }

    void setUp(boolean now) {
        up = now;
    }

    // tag::sink[]
    MessageSink sink() {
        return this::send;
    }

    private Reply send(Message message) {
        Map<String, String> headers;
        try {
            headers = Envelope.headers(message);
        } catch (IllegalArgumentException e) {
            return Reply.refused(String.valueOf(e.getMessage())); // no attempt will ever succeed
        }
        requireUp(message.target());
        Queue<Letter> queue = queues.get(message.target());
        if (queue == null) {
            throw new TenonException("No queue " + message.target()); // it may be created: tried again
        }
        queue.add(new Letter(headers, message.body()));
        return Reply.done();
    }
    // end::sink[]

    /** Starts a consumer. */
    QueueReceiver receiver(String queue, MessageSink handler, ConsumerOptions options) {
        requireUp(queue);
        require(queue);
        require(options.deadLettersOf(queue));
        return new QueueReceiver(this, queue, handler, options).start();
    }

    // tag::dead[]
    List<DeadLetter> deadLetters(String queue, ConsumerOptions options) {
        return require(options.deadLettersOf(queue)).stream()
                .map(letter -> Envelope.deadLetter(letter.headers, letter.body))
                .toList();
    }

    int replay(String queue, ConsumerOptions options, int limit, String by) {
        Queue<Letter> dead = require(options.deadLettersOf(queue));
        List<Letter> some = dead.stream().limit(limit).toList();
        for (Letter letter : some) {
            Instant now = options.time().now();
            require(queue).add(new Letter(Envelope.replayed(letter.headers, by, now), letter.body));
            dead.remove(letter);
        }
        return some.size();
    }
    // end::dead[]

    /** The letters of a queue that are not acknowledged, the oldest first. */
    Queue<Letter> require(String queue) {
        Queue<Letter> found = queues.get(queue);
        if (found == null) {
            throw new IllegalStateException("No queue " + queue);
        }
        return found;
    }

    private void requireUp(String queue) {
        if (!up) {
            throw new BackendUnavailableException("The broker of queue " + queue + " is down");
        }
    }
}
