package dev.tenon.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends what nobody should, over the three ways in, and notes what came back. An answer that says that the server
 * failed, one that shows its inside, and none at all are violations. Thread-safe.
 */
final class HostileTraffic implements AutoCloseable {
    /** The server gives up what is not whole after two seconds; on a machine that stands still it takes longer. */
    private static final long PATIENCE_MILLIS = 60_000;

    private static final long HASTE_MILLIS = 100;
    private static final int SHOWN = 1_500;
    private static final Pattern STATUS = Pattern.compile("^HTTP/1\\.[01] (\\d{3})");
    private static final Pattern INSIDE =
            Pattern.compile("\\bat [a-z]+\\.[\\w.$]+\\(|java\\.(lang|util|io)\\.|dev\\.tenon\\.|tools\\.jackson");
    private static final int FAILED = 500;
    /** What a server over a data folder is to say, as no service has its messages there. */
    private static final String NO_OUTBOX = "urn:tenon:problem:no-outbox";

    private static final String NO_SUCH_VERSION = "HTTP/1.1 501 Not Implemented\r\ncontent-length: 0\r\n\r\n";

    private final Vertx vertx = Vertx.vertx();
    private final NetClient sockets;
    private final HttpClient frames;
    private final int port;
    private final Map<String, LongAdder> outcomes = new ConcurrentSkipListMap<>();
    private final Map<String, String> violations = new ConcurrentHashMap<>();

    HostileTraffic(int port) {
        this.port = port;
        this.sockets = vertx.createNetClient(new NetClientOptions().setConnectTimeout((int) PATIENCE_MILLIS));
        this.frames = vertx.createHttpClient(new HttpClientOptions()
                .setProtocolVersion(HttpVersion.HTTP_2)
                .setHttp2ClearTextUpgrade(false)
                .setDefaultHost("127.0.0.1")
                .setDefaultPort(port));
    }

    /** How often each thing came back. */
    Map<String, LongAdder> outcomes() {
        return outcomes;
    }

    /** What must not be: each kind with an example. */
    Map<String, String> violations() {
        return violations;
    }

    /**
     * Sends bytes on a connection of their own.
     *
     * @param way what it is called in the outcomes
     * @param to which port
     * @param waits for an answer, or for the end; otherwise the client is gone after a moment
     */
    Future<Void> bytes(String way, int to, Buffer bytes, boolean waits) {
        Promise<Void> over = Promise.promise();
        sockets.connect(to, "127.0.0.1")
                .onFailure(e -> ended(way, "no connection", over))
                .onSuccess(socket -> {
                    Buffer answer = Buffer.buffer();
                    long timer = vertx.setTimer(waits ? PATIENCE_MILLIS : HASTE_MILLIS, id -> {
                        if (waits && answer.length() == 0) {
                            violate(way + ": no answer", bytes.toString(ISO_8859_1));
                        }
                        socket.close();
                    });
                    socket.handler(part -> {
                        if (answer.length() == 0) {
                            // What comes is an answer; where the mutation has lost "close", the connection is kept for
                            // more.
                            vertx.setTimer(HASTE_MILLIS, id -> socket.close());
                        }
                        answer.appendBuffer(part);
                    });
                    socket.exceptionHandler(e -> {});
                    socket.closeHandler(v -> {
                        vertx.cancelTimer(timer);
                        read(way, bytes, answer);
                        ended(way, outcome(answer), over);
                    });
                    socket.write(bytes);
                });
        return over.future();
    }

    private static String outcome(Buffer answer) {
        Matcher status = STATUS.matcher(answer.getString(0, Math.min(answer.length(), 20), "ISO-8859-1"));
        return status.find() ? status.group(1) : answer.length() == 0 ? "closed" : "bytes";
    }

    private void read(String way, Buffer sent, Buffer answer) {
        String text = answer.toString(ISO_8859_1);
        Matcher status = STATUS.matcher(text);
        // The HTTP engine itself says 501, and no more, to a version of HTTP that there is not.
        if (status.find()
                && Integer.parseInt(status.group(1)) >= FAILED
                && !text.equals(NO_SUCH_VERSION)
                && !text.contains(NO_OUTBOX)) {
            violate(way + ": " + status.group(1), sent.toString(ISO_8859_1) + "\n=> " + text);
        }
        requireNothingInside(way, sent.toString(ISO_8859_1), text);
    }

    private void requireNothingInside(String way, String sent, String answer) {
        Matcher inside = INSIDE.matcher(answer);
        if (inside.find()) {
            violate(way + ": shows " + inside.group(), sent + "\n=> " + answer);
        }
    }

    /** Sends a request in frames. */
    Future<Void> request(RandomRequests.Request request, byte[] body, String authorization) {
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.valueOf(request.method()))
                .setURI(request.target())
                .putHeader("content-type", "application/json");
        authorize(options, authorization);
        String sent = request.method() + " " + request.target() + " " + new String(body, UTF_8);
        return exchange("HTTP/2", options, Buffer.buffer(body), sent, Optional.empty());
    }

    /** Calls a method of gRPC with whatever bytes. */
    Future<Void> call(MethodDescriptor method, Buffer body, Map<String, String> headers, String authorization) {
        String path = "/" + method.getService().getFullName() + "/" + method.getName();
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setURI(path)
                .putHeader("content-type", "application/grpc")
                .putHeader("te", "trailers");
        headers.forEach(options::putHeader);
        authorize(options, authorization);
        return exchange("gRPC", options, body, path + " " + body.toString(ISO_8859_1), Optional.of(method));
    }

    private static void authorize(RequestOptions options, String authorization) {
        if (!authorization.isEmpty()) {
            options.putHeader("authorization", "Bearer " + authorization);
        }
    }

    private Future<Void> exchange(
            String way, RequestOptions options, Buffer body, String sent, Optional<MethodDescriptor> method) {
        Promise<Void> over = Promise.promise();
        frames.request(options).onFailure(e -> ended(way, "no stream", over)).onSuccess(request -> {
            boolean streams = method.filter(MethodDescriptor::isServerStreaming).isPresent();
            long timer = vertx.setTimer(streams ? HASTE_MILLIS : PATIENCE_MILLIS, id -> {
                if (!streams) {
                    violate(way + ": no answer", sent);
                }
                request.reset();
            });
            answered(request, body).onComplete(done -> {
                vertx.cancelTimer(timer);
                String outcome = done.succeeded() ? judged(way, done.result(), sent) : "reset";
                ended(way, outcome, over);
            });
        });
        return over.future();
    }

    private record Answer(int status, String grpcStatus, String text) {}

    private static Future<Answer> answered(HttpClientRequest request, Buffer body) {
        return request.send(body)
                .compose(response -> response.body().map(text -> {
                    String inHead = response.getHeader("grpc-status");
                    String status = inHead == null ? response.getTrailer("grpc-status") : inHead;
                    String message = response.getHeader("grpc-message");
                    String late = message == null ? response.getTrailer("grpc-message") : message;
                    return new Answer(
                            response.statusCode(),
                            status == null ? "" : status,
                            text.toString(ISO_8859_1) + " " + late);
                }));
    }

    private String judged(String way, Answer answer, String sent) {
        // UNKNOWN, INTERNAL, DATA_LOSS: the server failed
        boolean failed = (answer.status() >= FAILED && !answer.text().contains(NO_OUTBOX))
                || answer.grpcStatus().equals("2")
                || answer.grpcStatus().equals("13")
                || answer.grpcStatus().equals("15");
        String outcome =
                answer.grpcStatus().isEmpty() ? String.valueOf(answer.status()) : "status " + answer.grpcStatus();
        if (failed) {
            violate(way + ": " + outcome, sent + "\n=> " + answer.text());
        }
        requireNothingInside(way, sent, answer.text());
        return outcome;
    }

    private void violate(String kind, String example) {
        violations.putIfAbsent(kind, example.substring(0, Math.min(example.length(), SHOWN)));
    }

    private void ended(String way, String outcome, Promise<Void> over) {
        outcomes.computeIfAbsent(way + " " + outcome, k -> new LongAdder()).increment();
        over.tryComplete();
    }

    @Override
    public void close() {
        vertx.close()
                .toCompletionStage()
                .toCompletableFuture()
                .orTimeout(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                .join();
    }
}
