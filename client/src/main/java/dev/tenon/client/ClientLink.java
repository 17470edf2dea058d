package dev.tenon.client;

import dev.tenon.DaemonThreads;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TimeSource;
import dev.tenon.client.ClientCall.Method;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.ClientStreamTracer;
import io.grpc.ConnectivityState;
import io.grpc.Deadline;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.netty.channel.EventLoopGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the servers, of which one is in use, for everything, until it fails. A server that was silent is
 * connected to anew, as behind a dead peer the next connection may fare better. Thread-safe.
 */
final class ClientLink implements AutoCloseable {
    private static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);
    private static final Duration CLOSE_MOMENT = Duration.ofMillis(50);

    private final ClientOptions options;
    private final EventLoopGroup loop = ClientChannels.newLoop();
    private final ScheduledThreadPoolExecutor timer;
    private final List<ManagedChannel> channels = new ArrayList<>();
    private final AtomicInteger inUse = new AtomicInteger();
    private final AtomicLongArray leftNanos;
    private final TimeSource time;
    private final SilentServers silence;
    private volatile IntConsumer left = server -> {};
    private volatile boolean closed;
    private volatile @Nullable Deadline end;

    ClientLink(ClientOptions options, TimeSource time) {
        this.options = options;
        this.time = time;
        this.leftNanos = new AtomicLongArray(options.servers().size());
        this.silence = new SilentServers(this, options);
        this.timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-client-timer"));
        for (int i = 0; i < leftNanos.length(); i++) {
            leftNanos.set(i, time.nanoTime());
        }
        try {
            for (String server : options.servers()) {
                channels.add(ClientChannels.open(ServerAddress.of(server), options, loop));
            }
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Who is told of a server, or a connection to it, that is used no more. */
    void whenLeft(IntConsumer listener) {
        left = listener;
    }

    /** Who finds out that a server is silent. */
    SilentServers silence() {
        return silence;
    }

    long nanoTime() {
        return time.nanoTime();
    }

    /** As {@link #await(Method, Object)}, until a deadline that other calls share. */
    <Q, A> A await(Method<Q, A> method, Q request, Deadline deadline) {
        return await(new ClientCall<>(this, method, request, deadline).start());
    }

    /** Asks; the answer may come on the thread of the connection. */
    <Q, A> CompletableFuture<A> call(Method<Q, A> method, Q request) {
        return new ClientCall<>(this, method, request, deadline()).start();
    }

    /**
     * Asks and waits for the answer.
     *
     * @throws OutcomeUnknownException also if this thread is interrupted, which it stays
     */
    <Q, A> A await(Method<Q, A> method, Q request) {
        return await(call(method, request));
    }

    /** The value of a future, or the exception that it failed with. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutcomeUnknownException("Interrupted while waiting for the server", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new OutcomeUnknownException("The call failed: " + e.getCause(), e.getCause());
        }
    }

    /** What the whole of a caller's call may take. */
    Deadline deadline() {
        Deadline own = Deadline.after(options.callTimeout().toNanos(), TimeUnit.NANOSECONDS);
        Deadline last = end;
        return last == null ? own : own.minimum(last);
    }

    /**
     * Says that this is about to be closed: all that is still asked, and the closing itself, has two seconds together.
     */
    Deadline beginEnd() {
        Deadline last = end;
        if (last == null) {
            last = Deadline.after(CLOSE_LIMIT.toNanos(), TimeUnit.NANOSECONDS);
            end = last;
        }
        return last;
    }

    /** The server in use. */
    int inUse() {
        return inUse.get();
    }

    /** How many there are. */
    int servers() {
        return channels.size();
    }

    String address(int server) {
        return options.servers().get(server);
    }

    /** A call to one server. */
    <Q, A> io.grpc.ClientCall<Q, A> newCall(
            int server, MethodDescriptor<Q, A> method, @Nullable Deadline deadline, ClientStreamTracer.Factory tracer) {
        ManagedChannel channel = channels.get(server);
        if (channel.getState(false) == ConnectivityState.TRANSIENT_FAILURE) {
            // gRPC would wait for up to two minutes before it tried again.
            channel.resetConnectBackoff();
        }
        CallOptions call = CallOptions.DEFAULT.withStreamTracerFactory(tracer);
        if (deadline != null) {
            call = call.withDeadline(deadline);
        }
        if (options.apiKey().isPresent()) {
            call = call.withCallCredentials(
                    new ApiKey("Bearer " + options.apiKey().get()));
        }
        return channel.newCall(method, call);
    }

    /**
     * A call did not come back from a server.
     *
     * @param sinceNanos when it was sent
     */
    void failed(int server, Status status, long sinceNanos) {
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            long last = leftNanos.get(server);
            // Of many calls on one silent connection, one is enough to leave it.
            if (sinceNanos - last >= 0 && leftNanos.compareAndSet(server, last, time.nanoTime())) {
                channels.get(server).enterIdle();
                left.accept(server);
            }
        }
        unable(server);
    }

    /** A server can't serve: the next one is in use from now on. */
    void unable(int server) {
        if (channels.size() > 1 && inUse.compareAndSet(server, (server + 1) % channels.size())) {
            left.accept(server);
        }
    }

    /**
     * Runs something after a while, or at once if this is closed: somebody may wait for its end, and it sees that it is
     * over.
     */
    void later(Duration pause, Runnable work) {
        try {
            timer.schedule(work, pause.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            if (!closed) {
                throw e;
            }
            work.run();
        }
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        Deadline last = beginEnd();
        closed = true;
        channels.forEach(ManagedChannel::shutdownNow);
        timer.shutdown(); // what waits for its turn still has it, see later()
        channels.forEach(channel -> awaitEnd(channel, last));
        long left = millisUntil(last);
        loop.shutdownGracefully(0, left, TimeUnit.MILLISECONDS).awaitUninterruptibly(left);
    }

    /** Lets what is under way, such as a name that is looked up, see that it is over before its loop is gone. */
    private static void awaitEnd(ManagedChannel channel, Deadline last) {
        try {
            channel.awaitTermination(millisUntil(last), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * What a call to a server that is down has left over, and a moment at least: what ends at once can be waited for.
     */
    private static long millisUntil(Deadline last) {
        return Math.max(CLOSE_MOMENT.toMillis(), last.timeRemaining(TimeUnit.MILLISECONDS));
    }

    private static final class ApiKey extends CallCredentials {
        private final String value;

        ApiKey(String value) {
            this.value = value;
        }

        @Override
        public void applyRequestMetadata(RequestInfo request, Executor executor, MetadataApplier applier) {
            Metadata headers = new Metadata();
            headers.put(AUTHORIZATION, value);
            applier.apply(headers);
        }
    }
}
