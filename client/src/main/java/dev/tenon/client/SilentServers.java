package dev.tenon.client;

import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.LockTraits;
import io.grpc.ClientCall;
import io.grpc.Deadline;
import io.grpc.Metadata;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/**
 * Finds out that a server has fallen silent before calls to it run out of time. When somebody waits for it, an answer
 * or a lock, and nothing comes from it for a fifth of the call timeout, it is asked for what it knows without its
 * store; if that is not answered in the same time either, it is left, and what it was asked for ends. A server that is
 * slow, or whose store is, answers, and is waited for.
 *
 * <p>HTTP/2 has pings for that, which gRPC sends no more often than once in ten seconds. With one server there is
 * nothing to leave it for. Thread-safe.
 */
final class SilentServers {
    private static final int PART_OF_TIMEOUT = 5;
    private static final int LOOKS = 4;

    private final Set<Waiting> waiting = ConcurrentHashMap.newKeySet();
    private final Set<Integer> asked = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final ClientLink link;
    private final Duration quiet;
    private final AtomicLongArray heardNanos;
    private volatile BooleanSupplier listening = () -> false;

    /** A call that has been sent to a server. */
    interface Waiting {
        int server();

        /** By the clock of {@link ClientLink}. */
        long sentNanos();

        /** The server is silent: the call is over. */
        void giveUp(String why);
    }

    SilentServers(ClientLink link, ClientOptions options) {
        this.link = link;
        this.quiet = options.callTimeout().dividedBy(PART_OF_TIMEOUT);
        this.heardNanos = new AtomicLongArray(options.servers().size());
        for (int server = 0; server < heardNanos.length(); server++) {
            heard(server);
        }
    }

    /** @param listener whether somebody waits to be told something by the server in use */
    void whenListening(BooleanSupplier listener) {
        listening = listener;
    }

    /** A call begins, which {@link #ended} ends. */
    void began(Waiting call) {
        if (heardNanos.length() > 1) {
            waiting.add(call);
            lookSoon();
        }
    }

    void ended(Waiting call) {
        waiting.remove(call);
    }

    /** Something came from a server. */
    void heard(int server) {
        heardNanos.set(server, link.nanoTime());
    }

    /** Somebody may wait to be told something from now on. */
    void lookSoon() {
        if (heardNanos.length() > 1 && !link.isClosed() && looking.compareAndSet(false, true)) {
            link.later(quiet.dividedBy(LOOKS), this::runOnce);
        }
    }

    private void runOnce() {
        looking.set(false);
        boolean told = listening.getAsBoolean();
        long now = link.nanoTime();
        for (int server = 0; server < heardNanos.length(); server++) {
            int here = server;
            long since = waiting.stream()
                    .filter(call -> call.server() == here)
                    .mapToLong(call -> now - call.sentNanos())
                    .max()
                    .orElse(told && link.inUse() == server ? Long.MAX_VALUE : -1);
            if (Math.min(since, now - heardNanos.get(server)) >= quiet.toNanos() && asked.add(server)) {
                new Question(server).ask();
            }
        }
        if (told || !waiting.isEmpty()) {
            lookSoon();
        }
    }

    private void isSilent(int server, long sinceNanos) {
        link.failed(server, Status.DEADLINE_EXCEEDED, sinceNanos);
        for (Waiting call : List.copyOf(waiting)) {
            if (call.server() == server && sinceNanos - call.sentNanos() >= 0) {
                call.giveUp("nothing has come from it for " + quiet.multipliedBy(2));
            }
        }
    }

    /** One that any server answers at once, whoever asks. */
    private final class Question extends ClientCall.Listener<LockTraits> {
        private final int server;
        private final long sentNanos = link.nanoTime();

        Question(int server) {
            this.server = server;
        }

        void ask() {
            Deadline deadline = Deadline.after(quiet.toNanos(), TimeUnit.NANOSECONDS);
            ClientCall<DescribeLocksRequest, LockTraits> call = link.newCall(
                    server, ClientMethods.DESCRIBE.descriptor(), deadline, new dev.tenon.client.ClientCall.Sent());
            call.start(this, new Metadata());
            call.request(2);
            call.sendMessage(DescribeLocksRequest.getDefaultInstance());
            call.halfClose();
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
                isSilent(server, sentNanos);
            }
            heard(server); // or connected to anew: it has its time again
            asked.remove(server);
        }
    }
}
