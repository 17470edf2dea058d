package dev.tenon.benchmarks;

import dev.tenon.benchmarks.RequestRates.Score;
import dev.tenon.client.ClientIds;
import dev.tenon.client.TenonClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;

/** IDs from a server of this machine beside Redis' {@code INCR}, in turns. */
final class NetworkIds {
    static final String BATCH = "a thousand at a time";

    private static final int COUNT = 1000;

    private final TenonProcess server;
    private final InetSocketAddress redis;
    private final Duration runTime;

    NetworkIds(TenonProcess server, InetSocketAddress redis, Duration runTime) {
        this.server = server;
        this.redis = redis;
        this.runTime = runTime.compareTo(Duration.ofSeconds(1)) < 0 ? Duration.ofSeconds(1) : runTime;
    }

    @FunctionalInterface
    private interface Turn {
        Score run() throws IOException;
    }

    /**
     * Runs all in turns, after one round that does not count; the median of the rounds by IDs a second. Redis is first.
     */
    List<Score> run(int connections, int rounds) throws IOException {
        define("segment", "{\"kind\":\"segment\"}");
        List<Turn> turns = List.of(
                () -> RequestRates.redis(redis, connections, runTime),
                () -> http("one snowflake a request, HTTP", "default", connections),
                () -> http("one of a segment a request, HTTP", "segment", connections),
                () -> batch("snowflakes, " + BATCH + ", gRPC", "default", connections),
                () -> batch("of a segment, " + BATCH + ", gRPC", "segment", connections));
        List<List<Score>> scores = new ArrayList<>();
        turns.forEach(turn -> scores.add(new ArrayList<>()));
        for (int round = -1; round < rounds; round++) {
            for (int turn = 0; turn < turns.size(); turn++) {
                Score score = turns.get(turn).run();
                if (round >= 0) {
                    scores.get(turn).add(score);
                }
            }
        }
        return scores.stream()
                .map(all -> all.stream()
                        .sorted(Comparator.comparingDouble(Score::perSecond))
                        .toList()
                        .get(all.size() / 2))
                .toList();
    }

    private Score http(String title, String name, int connections) throws IOException {
        return RequestRates.http(title, server.url() + "/v1/ids/" + name + "/next", connections, runTime);
    }

    private Score batch(String title, String name, int threads) throws IOException {
        try (TenonClient client = TenonClient.connect(server.address())) {
            ClientIds ids = client.ids(name);
            long start = System.nanoTime();
            long end = start + runTime.toNanos();
            ExecutorService pool = Executors.newFixedThreadPool(threads);
            try {
                List<Future<long[]>> runs = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    runs.add(pool.submit(() -> callsUntil(end, ids)));
                }
                List<long[]> times = new ArrayList<>();
                for (Future<long[]> run : runs) {
                    times.add(run.get());
                }
                return score(title, times, System.nanoTime() - start);
            } catch (InterruptedException | ExecutionException e) {
                throw new IOException(title + " failed", e);
            } finally {
                pool.shutdownNow();
            }
        }
    }

    private static long[] callsUntil(long end, ClientIds ids) {
        LongStream.Builder times = LongStream.builder();
        long from = System.nanoTime();
        while (from - end < 0) {
            ids.next(COUNT);
            long now = System.nanoTime();
            times.add(now - from);
            from = now;
        }
        return times.build().toArray();
    }

    private static Score score(String title, List<long[]> runs, long tookNanos) {
        long[] all = runs.stream().flatMapToLong(Arrays::stream).sorted().toArray();
        return new Score(
                title,
                all.length * (double) COUNT * 1e9 / tookNanos,
                Duration.ofNanos(all[all.length / 2]),
                Duration.ofNanos(all[(int) (all.length * 0.99)]),
                Duration.ofNanos(all[(int) (all.length * 0.999)]));
    }

    private void define(String name, String definition) throws IOException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "/v1/ids/" + name))
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString(definition))
                .build();
        try {
            int status = HttpClient.newHttpClient()
                    .send(request, BodyHandlers.discarding())
                    .statusCode();
            if (status >= 300) {
                throw new IOException("The server answers " + status + " to the definition of " + name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted", e);
        }
    }
}
