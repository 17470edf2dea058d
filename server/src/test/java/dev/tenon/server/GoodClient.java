package dev.tenon.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client that does what it should, at its own pace: an ID, and a lock taken and given back, every
 * {@value #PAUSE_MILLIS} ms. It remembers how long each round took, and what went wrong.
 */
final class GoodClient implements AutoCloseable {
    private static final int PAUSE_MILLIS = 20;
    private static final double TAIL = 0.99;

    private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();
    private final TestClient http;
    private final String[] key;
    private final String session;
    private final List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger rounds = new AtomicInteger();

    GoodClient(int port, String key) {
        this.http = new TestClient(port);
        this.key = new String[] {"Authorization", "Bearer " + key};
        this.session = http.call("POST", "/v1/sessions", "{\"ttl\":\"PT1H\",\"owner\":\"good\"}", this.key)
                .json()
                .path("id")
                .asString();
        pace.scheduleAtFixedRate(this::round, 0, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void round() {
        long began = System.nanoTime();
        try {
            http200("POST", "/v1/ids/default/next", "");
            String token = http200("POST", "/v1/locks/good/acquire", "{\"session\":\"" + session + "\"}")
                    .json()
                    .path("token")
                    .asString();
            http200("POST", "/v1/locks/good/release", "{\"session\":\"" + session + "\",\"token\":" + token + "}");
        } catch (RuntimeException e) {
            failures.add(String.valueOf(e));
        }
        nanos.add(System.nanoTime() - began);
        rounds.incrementAndGet();
    }

    private TestClient.Answer http200(String method, String path, String body) {
        TestClient.Answer answer = http.call(method, path, body, key);
        if (answer.status() != 200) {
            failures.add(method + " " + path + " " + answer.status() + " " + answer.text());
        }
        return answer;
    }

    /** How many rounds it has gone, since it was made. */
    int rounds() {
        return rounds.get();
    }

    /** What went wrong so far. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Of the rounds since it was last asked, the time that 99 of 100 did not exceed, in milliseconds. */
    double p99Millis() {
        List<Long> taken;
        synchronized (nanos) {
            taken = new ArrayList<>(nanos);
            nanos.clear();
        }
        Collections.sort(taken);
        return taken.isEmpty() ? Double.NaN : taken.get((int) ((taken.size() - 1) * TAIL)) / 1e6;
    }

    @Override
    public void close() {
        pace.shutdownNow();
    }
}
