package dev.tenon.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many messages a second come from the business to their handler while several threads write them: from the first
 * commit to the last call; of a backlog, from the moment at which all is committed. The outboxes take turns. What comes
 * twice, or before one that was written before it under its key, fails the run.
 */
final class SendingRates {
    static final int WRITERS = 4;

    /** One key, twelve, and none. */
    static final List<Integer> KEYS = List.of(1, 12, 0);

    private static final long PATIENCE_SECONDS = 120;

    private final int messages;
    private final int rounds;
    private final AtomicInteger run = new AtomicInteger();
    private final Map<String, Arrivals> arrivals = new ConcurrentHashMap<>();

    /** @param messages how many are written in each round */
    SendingRates(int messages, int rounds) {
        this.messages = messages;
        this.rounds = rounds;
    }

    /**
     * What one outbox did.
     *
     * @param perSecond messages a second for each number of keys, the median of the rounds; none where it keeps no
     *     order
     */
    record Score(String title, Map<Integer, Double> perSecond) {}

    List<Score> run(List<SendingOutbox> outboxes) throws Exception {
        List<Map<Integer, List<Double>>> rates = new ArrayList<>();
        for (SendingOutbox each : outboxes) {
            rates.add(new TreeMap<>());
            each.start(this::arrived);
        }
        for (int round = -1; round < rounds; round++) { // the first one warms up
            for (int keys : KEYS) {
                for (int who = 0; who < outboxes.size(); who++) {
                    if (keys == 0 || outboxes.get(who).ordered()) {
                        double perSecond = once(outboxes.get(who), keys);
                        List<Double> kept = rates.get(who).computeIfAbsent(keys, first -> new ArrayList<>());
                        if (round >= 0) {
                            kept.add(perSecond);
                        }
                    }
                }
            }
        }
        List<Score> scores = new ArrayList<>();
        for (int who = 0; who < outboxes.size(); who++) {
            scores.add(new Score(outboxes.get(who).title(), medians(rates.get(who))));
        }
        return scores;
    }

    private static Map<Integer, Double> medians(Map<Integer, List<Double>> rounds) {
        Map<Integer, Double> medians = new TreeMap<>();
        rounds.forEach((keys, rates) ->
                medians.put(keys, rates.stream().sorted().toList().get(rates.size() / 2)));
        return medians;
    }

    private double once(SendingOutbox outbox, int keys) throws Exception {
        String name = String.valueOf(run.incrementAndGet());
        Arrivals expected = new Arrivals(keys > 0, new CountDownLatch(messages));
        arrivals.put(name, expected);
        ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        try {
            long start = System.nanoTime();
            List<Callable<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < WRITERS; writer++) {
                int mine = writer;
                writers.add(() -> write(outbox, name, mine, keys));
            }
            for (Future<Void> writer : pool.invokeAll(writers)) {
                writer.get();
            }
            long written = System.nanoTime();
            Optional<Runnable> sending = outbox.send();
            if (!expected.left().await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException(
                        outbox.title() + " did not send " + expected.left().getCount());
            }
            double perSecond = messages * 1e9 / (System.nanoTime() - (sending.isPresent() ? written : start));
            sending.ifPresent(Runnable::run);
            if (expected.wrong().get() > 0) {
                throw new IllegalStateException(
                        outbox.title() + " sent " + expected.wrong().get() + " twice, or not in their order");
            }
            return perSecond;
        } finally {
            pool.shutdownNow();
        }
    }

    private Void write(SendingOutbox outbox, String name, int writer, int keys) throws Exception {
        for (int i = 0; i < messages / WRITERS; i++) {
            int key = keys == 0 ? 0 : i % keys;
            String text = name + " " + writer + " " + key + " " + i;
            outbox.write(2 * writer, keys == 0 ? "" : "key " + key, text);
        }
        return null;
    }

    private void arrived(String text) {
        String[] words = text.split(" ");
        Arrivals expected = arrivals.get(words[0]);
        if (expected != null) {
            expected.one(words[1] + " " + words[2], Integer.parseInt(words[3]));
        }
    }

    /** What came, and how much of it was wrong. */
    private record Arrivals(boolean ordered, CountDownLatch left, Map<String, Integer> last, AtomicInteger wrong) {
        Arrivals(boolean ordered, CountDownLatch left) {
            this(ordered, left, new ConcurrentHashMap<>(), new AtomicInteger());
        }

        /** @param lane a writer and a key: what that writer wrote under the key it wrote in this order */
        void one(String lane, int number) {
            String name = ordered ? lane : lane + " " + number;
            Integer before = last.put(name, number);
            if (before != null && before >= number) {
                wrong.incrementAndGet();
            }
            left.countDown();
        }
    }
}
