package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Calls of gRPC whose bytes are the test's own, as only somebody would send them who means no good, or is broken. */
final class BareCalls implements AutoCloseable {
    /** What comes before a message of this length. */
    static final int PREFIX = 5;

    private static final int STREAMS = 1000;
    private static final long PATIENCE_SECONDS = 60;

    private final Vertx vertx = Vertx.vertx();
    private final HttpClient client;
    private final int port;

    /** Calls over one connection. */
    BareCalls(int port) {
        this(port, 1, STREAMS);
    }

    /** Calls over so many connections, with so many at once on each. */
    BareCalls(int port, int connections, int streams) {
        this.port = port;
        HttpClientOptions options = new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setHttp2MultiplexingLimit(streams);
        this.client = vertx.createHttpClient(options, new PoolOptions().setHttp2MaxSize(connections));
    }

    /** An answer, of whose messages nothing is kept. */
    record Answer(int httpStatus, int status, String message, String reason, MultiMap headers) {
        private static Answer of(HttpClientResponse response) {
            MultiMap last = response.headers().contains("grpc-status") ? response.headers() : response.trailers();
            String status = last.get("grpc-status");
            String details = last.get("grpc-status-details-bin");
            return new Answer(
                    response.statusCode(),
                    status == null ? -1 : Integer.parseInt(status),
                    last.contains("grpc-message") ? last.get("grpc-message") : "",
                    details == null ? "" : reason(details),
                    response.headers());
        }

        private static String reason(String details) {
            try {
                com.google.rpc.Status status =
                        com.google.rpc.Status.parseFrom(Base64.getDecoder().decode(details));
                for (Any detail : status.getDetailsList()) {
                    return detail.unpack(ErrorInfo.class).getReason();
                }
                return "";
            } catch (InvalidProtocolBufferException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** A message with what comes before it. */
    static Buffer framed(byte[] message) {
        return Buffer.buffer().appendByte((byte) 0).appendInt(message.length).appendBytes(message);
    }

    /** A call that is under way. */
    final class Call {
        private final HttpClientRequest request;
        private final CompletableFuture<Answer> answer = new CompletableFuture<>();

        private Call(HttpClientRequest request) {
            this.request = request;
            request.exceptionHandler(answer::completeExceptionally);
            request.response().onFailure(answer::completeExceptionally).onSuccess(response -> {
                response.exceptionHandler(answer::completeExceptionally);
                response.handler(some -> {
                    if (request.path().endsWith("/Events")) { // it has no end
                        answer.complete(new Answer(response.statusCode(), 0, "", "", response.headers()));
                        request.reset(8);
                    }
                });
                response.endHandler(v -> answer.complete(Answer.of(response)));
            });
        }

        /** Sends some bytes of the body, when the server takes them. */
        Call send(Buffer some) {
            request.write(some);
            return this;
        }

        /** Sends the end of the body. */
        Call end() {
            request.end();
            return this;
        }

        /** Whether it was answered, or has failed. */
        boolean isOver() {
            return answer.isDone();
        }

        /** Waits for the answer. */
        Answer answer() {
            try {
                return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(e);
            } catch (ExecutionException | TimeoutException e) {
                throw new AssertionError(request.path() + " was not answered", e);
            }
        }
    }

    /**
     * Begins a call: sends its headers.
     *
     * @param method such as {@code tenon.v1.Locks/Acquire}
     */
    Call begin(String method, Map<String, String> headers) {
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost("127.0.0.1")
                .setPort(port)
                .setURI("/" + method)
                .putHeader("content-type", "application/grpc")
                .putHeader("te", "trailers");
        headers.forEach(options::putHeader);
        CompletableFuture<Call> begun = new CompletableFuture<>();
        client.request(options)
                .map(request -> {
                    request.setChunked(true);
                    Call call = new Call(request);
                    request.sendHead();
                    return call;
                })
                .onComplete(begun::complete, begun::completeExceptionally);
        try {
            return begun.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("no connection", e);
        }
    }

    /** A whole call with this body. */
    Answer call(String method, Buffer body) {
        return begin(method, Map.of()).send(body).end().answer();
    }

    /** Whole calls with these messages, all at once. */
    List<Answer> callAll(String method, List<byte[]> messages) {
        List<Call> calls = messages.stream()
                .map(message -> begin(method, Map.of()).send(framed(message)).end())
                .toList();
        return calls.stream().map(Call::answer).toList();
    }

    @Override
    public void close() {
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            assertThat(e).as("the client was not closed").isNull();
        }
    }
}
