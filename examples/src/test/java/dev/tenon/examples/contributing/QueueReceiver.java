package dev.tenon.examples.contributing;

import dev.tenon.examples.contributing.QueueBroker.Letter;
import dev.tenon.tx.message.ConsumerOptions;
import dev.tenon.tx.message.Deliveries;
import dev.tenon.tx.message.Envelope;
import dev.tenon.tx.message.MessageSink;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** A consumer of one queue, with a thread of its own. */
final class QueueReceiver implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(5);

    private final QueueBroker broker;
    private final String name;
    private final Queue<Letter> queue;
    private final ConsumerOptions options;
    private final Deliveries<Letter> deliveries;
    private final Set<Letter> held = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Thread thread;
    private volatile boolean closed;

    QueueReceiver(QueueBroker broker, String name, MessageSink handler, ConsumerOptions options) {
        this.broker = broker;
        this.name = name;
        this.queue = broker.require(name);
        this.options = options;
        this.deliveries = new Deliveries<>(handler, options, new Exits());
        this.thread = new Thread(this::run, "queue-" + name);
        thread.setDaemon(true);
    }

    QueueReceiver start() {
        thread.start();
        return this;
    }

    // tag::receiver[]
    private void run() {
        try {
            while (!closed) {
                if (broker.isUp()) {
                    queue.stream().limit(options.inFlight()).filter(held::add).forEach(this::add);
                } else {
                    deliveries.forget(held::remove); // they come again
                }
                if (!deliveries.runOnce()) {
                    options.time().park(POLL);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void add(Letter letter) {
        try {
            deliveries.add(letter, Envelope.open(name, letter.headers, letter.body, Optional.empty()), letter.headers);
        } catch (IllegalArgumentException e) {
            deliveries.addBroken(letter, name, letter.headers, String.valueOf(e.getMessage()));
        }
    }

    private final class Exits implements Deliveries.Exits<Letter> {
        @Override
        public void acknowledge(Letter letter) {
            queue.remove(letter);
            held.remove(letter);
        }

        @Override
        public void bury(Letter letter, Map<String, String> headers) {
            broker.require(options.deadLettersOf(name)).add(new Letter(headers, letter.body));
        }
    }
    // end::receiver[]

    @Override
    public void close() {
        closed = true;
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
