package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a consumer has in its hands: messages that came from a broker, and are neither handled nor given up. Those of
 * one key are handled one after the other, in the order in which they came; one that fails is tried again after a
 * pause, in which only those behind it with its key wait; in the end it is a dead letter, and they go on. For the
 * consumers of the brokers, which feed it and acknowledge what it has settled. One thread uses it.
 *
 * @param <T> by which the consumer knows a message: an offset, a tag
 */
public final class Deliveries<T> {
    private static final Duration NOT_YET = Duration.ofSeconds(1);
    private static final Duration BURY_AGAIN = Duration.ofSeconds(1);

    private final MessageSink handler;
    private final ConsumerOptions options;
    private final Exits<T> exits;
    private final Map<Object, Deque<Held<T>>> lanes = new HashMap<>();
    private final PriorityQueue<Due<T>> due = new PriorityQueue<>((a, b) ->
            a.atNanos() == b.atNanos() ? Long.compare(a.turn(), b.turn()) : Long.signum(a.atNanos() - b.atNanos()));
    private long turns;
    private int held;
    private Optional<String> trouble = Optional.empty();

    /** Over a handler, such as one of an {@link Inbox}, and what the broker does with what is settled. */
    public Deliveries(MessageSink handler, ConsumerOptions options, Exits<T> exits) {
        this.handler = Objects.requireNonNull(handler, "handler");
        this.options = Objects.requireNonNull(options, "options");
        this.exits = Objects.requireNonNull(exits, "exits");
    }

    /** What the broker does with a message that is settled. */
    public interface Exits<T> {
        /**
         * Acknowledges a message: it need not come again.
         *
         * @throws Exception if that fails: it comes again, and has no second effect
         */
        void acknowledge(T handle) throws Exception;

        /**
         * Puts a message with these headers to the dead letters, and returns when it is safe there; it is acknowledged
         * after that.
         *
         * @throws Exception if that fails, or may have failed: it is tried again after a second, for ever
         */
        void bury(T handle, Map<String, String> headers) throws Exception;
    }

    /** A message as it came. */
    private static final class Held<T> {
        private final T handle;
        private final Map<String, String> headers;
        private final String target;
        private final Object lane;
        private final List<String> failures = new ArrayList<>();
        private int attempts;
        private @Nullable Message message;
        private @Nullable String grave;
        private boolean gone;

        Held(T handle, String target, Map<String, String> headers, Object lane) {
            this.handle = handle;
            this.target = target;
            this.headers = headers;
            this.lane = lane;
        }
    }

    private record Due<T>(long atNanos, long turn, Held<T> held) {}

    /**
     * Takes a message over, to be handled after those with its key.
     *
     * @param headers with which it came, for its dead letter
     */
    public void add(T handle, Message message, Map<String, String> headers) {
        Held<T> one = new Held<>(
                handle,
                message.target(),
                headers,
                message.key().<Object>map(key -> List.of(message.target(), key)).orElseGet(Object::new));
        one.message = message;
        add(one);
    }

    /** Takes over something that is not a message, to be given up at once. */
    public void addBroken(T handle, String target, Map<String, String> headers, String reason) {
        Held<T> one = new Held<>(handle, target, headers, new Object());
        one.grave = reason;
        add(one);
    }

    private void add(Held<T> one) {
        held++;
        Deque<Held<T>> lane = lanes.computeIfAbsent(one.lane, key -> new ArrayDeque<>());
        lane.add(one);
        if (lane.size() == 1) {
            schedule(one, Duration.ZERO);
        }
    }

    private void schedule(Held<T> one, Duration pause) {
        due.add(new Due<>(options.time().nanoTime() + pause.toNanos(), turns++, one));
    }

    /** How many messages it holds. */
    public int held() {
        return held;
    }

    /** How long until one is to be tried, zero if now; empty if there is none. */
    public Optional<Duration> idle() {
        skipGone();
        return Optional.ofNullable(due.peek())
                .map(next -> Duration.ofNanos(
                        Math.max(0, next.atNanos() - options.time().nanoTime())));
    }

    /** What went wrong with the last message that was tried; empty if nothing did. */
    public Optional<String> trouble() {
        return trouble;
    }

    /**
     * Tries one message that is due.
     *
     * @return false if none is
     * @throws InterruptedException if the thread was interrupted while the message was handled
     */
    public boolean runOnce() throws InterruptedException {
        skipGone();
        Due<T> next = due.peek();
        if (next == null || next.atNanos() - options.time().nanoTime() > 0) {
            return false;
        }
        due.remove();
        if (next.held().grave == null) {
            handle(next.held());
        }
        if (next.held().grave != null) {
            bury(next.held());
        }
        return true;
    }

    /** Lets go of messages that are no longer this consumer's: another one has them, or they come again. */
    public void forget(Predicate<T> which) {
        for (Deque<Held<T>> lane : List.copyOf(lanes.values())) {
            Held<T> first = lane.getFirst();
            List<Held<T>> gone =
                    lane.stream().filter(one -> which.test(one.handle)).toList();
            gone.forEach(one -> one.gone = true);
            held -= gone.size();
            lane.removeAll(gone);
            if (lane.isEmpty()) {
                lanes.remove(first.lane);
            } else if (first.gone) {
                schedule(lane.getFirst(), Duration.ZERO);
            }
        }
        skipGone();
    }

    private void skipGone() {
        while (!due.isEmpty() && due.peek().held().gone) {
            due.remove();
        }
    }

    private void handle(Held<T> one) throws InterruptedException {
        try {
            Reply reply = handler.send(Objects.requireNonNull(one.message));
            if (reply instanceof Reply.Refused refused) {
                failed(one, "refused: " + refused.reason());
                one.grave = "refused: " + refused.reason();
            } else if (reply instanceof Reply.NotYet notYet) {
                trouble = Optional.of("not yet: " + notYet.reason());
                schedule(one, NOT_YET);
            } else {
                trouble = Optional.empty();
                leave(one);
            }
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            String why = e.getMessage() == null ? e.toString() : e.getMessage();
            failed(one, why);
            if (options.retry().isUsedUp(one.attempts)) {
                one.grave = why;
            } else {
                schedule(one, options.retry().pause(one.attempts, one.handle.hashCode()));
            }
        }
    }

    private void failed(Held<T> one, String why) {
        trouble = Optional.of(why);
        one.attempts++;
        one.failures.add(options.time().now() + " attempt " + one.attempts + " of " + options.group() + ": " + why);
        if (one.failures.size() > Envelope.LINES_MAX) {
            one.failures.remove(0);
        }
    }

    private void bury(Held<T> one) throws InterruptedException {
        try {
            exits.bury(
                    one.handle,
                    Envelope.dead(
                            one.headers,
                            new Envelope.Death(
                                    one.target,
                                    options.group(),
                                    Objects.requireNonNull(one.grave),
                                    one.attempts,
                                    one.failures,
                                    options.time().now())));
            leave(one);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            trouble = Optional.of("A dead letter of " + one.target + " could not be put to "
                    + options.deadLettersOf(one.target) + ", and is kept until it can: " + e.getMessage());
            schedule(one, BURY_AGAIN);
        }
    }

    private void leave(Held<T> one) throws InterruptedException {
        held--;
        Deque<Held<T>> lane = Objects.requireNonNull(lanes.get(one.lane));
        lane.remove(one);
        if (lane.isEmpty()) {
            lanes.remove(one.lane);
        } else {
            schedule(lane.getFirst(), Duration.ZERO);
        }
        try {
            exits.acknowledge(one.handle);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            trouble = Optional.of(
                    "A message that was handled could not be acknowledged, and will come again: " + e.getMessage());
        }
    }
}
