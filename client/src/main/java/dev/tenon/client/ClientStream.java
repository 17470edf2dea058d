package dev.tenon.client;

import dev.tenon.protocol.LockEventsRequest;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.protocol.LocksGrpc;
import io.grpc.ClientCall;
import io.grpc.ClientCall.Listener;
import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** One push stream from one server. Thread-safe. */
final class ClientStream {
    private final CompletableFuture<String> id = new CompletableFuture<>();
    private final ClientLink link;
    private final int server;
    private final BiConsumer<ClientStream, LockStoreEvent> heard;
    private final Consumer<ClientStream> ended;
    private final ClientCall<LockEventsRequest, LockStoreEvent> call;
    private final long openedNanos;
    private volatile boolean cancelled;

    ClientStream(
            ClientLink link, int server, BiConsumer<ClientStream, LockStoreEvent> heard, Consumer<ClientStream> ended) {
        this.link = link;
        this.server = server;
        this.heard = heard;
        this.ended = ended;
        this.openedNanos = link.nanoTime();
        this.call = link.newCall(server, LocksGrpc.getEventsMethod(), null, new dev.tenon.client.ClientCall.Sent());
    }

    /** Once; what follows may come on this thread or on that of the connection. */
    void start() {
        call.start(new Incoming(), new Metadata());
        call.request(1);
        call.sendMessage(LockEventsRequest.getDefaultInstance());
        call.halfClose();
    }

    /** What the server calls it; fails when the stream ends. */
    CompletableFuture<String> id() {
        return id;
    }

    int server() {
        return server;
    }

    void cancel(String why) {
        cancelled = true;
        call.cancel(why, null);
    }

    private final class Incoming extends Listener<LockStoreEvent> {
        @Override
        public void onMessage(LockStoreEvent event) {
            heard.accept(ClientStream.this, event);
            call.request(1);
        }

        @Override
        public void onClose(Status status, Metadata trailers) {
            if (!cancelled) {
                link.failed(server, status, openedNanos);
            }
            id.completeExceptionally(status.asRuntimeException());
            ended.accept(ClientStream.this);
        }
    }
}
