package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.client.HttpNode.Answer;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.testkit.history.Operation;
import dev.tenon.testkit.history.Operation.Freed;
import dev.tenon.testkit.history.Operation.Granted;
import dev.tenon.testkit.history.Operation.Seen;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Asks the nodes of a cluster over HTTP, one after the other, until one answers for good: no connection, no answer in
 * time, 503 and 504 send it on to the next. For one thread.
 */
final class ClusterClient implements ClusterCaller {
    private static final Duration PAUSE = Duration.ofMillis(20);

    private final List<HttpNode> nodes;
    private final Duration patience;
    private int at;

    /**
     * @param nodes each with the time to wait for one answer
     * @param first which node to begin with
     * @param patience how long to go on; then the call has failed
     */
    ClusterClient(List<HttpNode> nodes, int first, Duration patience) {
        this.nodes = List.copyOf(nodes);
        this.at = first % nodes.size();
        this.patience = patience;
    }

    /**
     * An answer.
     *
     * @param repeated whether an earlier attempt may have had its effect as well
     * @param asked when the attempt began that was answered
     */
    record Reply(Answer answer, boolean repeated, long asked) {}

    /** Sends the very same request until it is answered for good. */
    Reply call(String method, String path, String body) {
        long begun = System.nanoTime();
        boolean repeated = false;
        String last = "";
        while (System.nanoTime() - begun < patience.toNanos()) {
            long asked = System.nanoTime();
            try {
                Answer answer = nodes.get(at).call(method, path, body);
                if (answer.status() != 503 && answer.status() != 504) {
                    return new Reply(answer, repeated, asked);
                }
                repeated |= answer.status() == 504;
                last = answer.text();
            } catch (UncheckedIOException e) {
                repeated = true;
                last = e.toString();
            }
            at = (at + 1) % nodes.size();
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        throw new AssertionError(method + " " + path + " had no answer in "
                + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) + " s; the last: " + last);
    }

    @Override
    public void define(String name, String definition) {
        Answer answer = call("PUT", "/v1/ids/" + name, definition).answer();
        assertThat(answer.status()).as(answer.text()).isIn(200, 201);
    }

    @Override
    public void mustKnow(String name) {
        Answer answer = call("GET", "/v1/ids/" + name, "").answer();
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
    }

    @Override
    public List<String> next(String name, int count) {
        Answer answer =
                call("POST", "/v1/ids/" + name + "/next?count=" + count, "").answer();
        assertThat(answer.status()).as(answer.text()).isEqualTo(200);
        List<String> ids = new ArrayList<>();
        answer.json().path("ids").forEach(id -> ids.add(id.asString()));
        return ids;
    }

    @Override
    public Runnable lockReader(String lock, String reader, Told told) {
        return () -> {
            Reply reply = call("GET", "/v1/locks/" + lock, "");
            long returned = System.nanoTime();
            assertThat(reply.answer().status()).as(reply.answer().text()).isEqualTo(200);
            Set<Long> tokens = new HashSet<>();
            reply.answer()
                    .json()
                    .path("holders")
                    .forEach(h -> tokens.add(h.path("token").asLong()));
            told.answered().run();
            told.history().add(lock, Operation.answered(reader, new Seen(tokens), reply.asked(), returned));
        };
    }

    @Override
    public Runnable lockUser(String lock, String user, Told told) {
        return new LockUser(lock, user, told)::runOnce;
    }

    private final class LockUser {
        private final String lock;
        private final String name;
        private final Told told;
        private final Runnable look;
        private String session = "";

        LockUser(String lock, String name, Told told) {
            this.lock = lock;
            this.name = name;
            this.told = told;
            this.look = lockReader(lock, name, told);
        }

        void runOnce() {
            if (session.isEmpty()) {
                Reply opened = call("POST", "/v1/sessions", "{\"ttl\":\"PT10M\",\"owner\":\"" + name + "\"}");
                session = opened.answer().json().path("id").asString("");
                return;
            }
            call("POST", "/v1/sessions/" + session + "/keepalive", "");
            String body =
                    "{\"session\":\"" + session + "\",\"wait\":\"PT3S\",\"requestId\":\"" + UUID.randomUUID() + "\"}";
            long invoked = System.nanoTime();
            Reply held = call("POST", "/v1/locks/" + lock + "/acquire", body);
            long returned = System.nanoTime();
            if (held.repeated()) {
                told.twice(lock, invoked);
            }
            switch (held.answer().status()) {
                case 200 -> {
                    told.answered().run();
                    long token = held.answer().json().path("token").asLong();
                    told.history()
                            .add(
                                    lock,
                                    Operation.answered(
                                            name, new Granted(token, LockMode.EXCLUSIVE), invoked, returned));
                    look.run();
                    release(token);
                }
                case 404 -> {
                    told.inVain(lock, invoked);
                    session = "";
                }
                case 409 -> {
                    told.inVain(lock, invoked);
                    told.answered().run();
                }
                default -> throw new AssertionError(held.answer().text());
            }
        }

        private void release(long token) {
            long invoked = System.nanoTime();
            Reply released = call(
                    "POST",
                    "/v1/locks/" + lock + "/release",
                    "{\"session\":\"" + session + "\",\"token\":" + token + "}");
            long returned = System.nanoTime();
            boolean done = released.answer().status() == 200
                    || released.repeated() && released.answer().status() == 409;
            if (done) {
                told.history().add(lock, Operation.answered(name, new Freed(token), invoked, returned));
            } else if (released.answer().status() == 404) {
                throw new AssertionError("Session of " + name + " has ended within its time: "
                        + released.answer().text());
            } else {
                throw new AssertionError(lock + " was taken from " + name + ": "
                        + released.answer().text());
            }
        }
    }
}
