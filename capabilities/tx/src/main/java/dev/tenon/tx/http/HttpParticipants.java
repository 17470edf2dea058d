package dev.tenon.tx.http;

import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.notify.WebhookSignature;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Participants whose target is an address of {@code http} or {@code https}. Each call is a POST with the branch's
 * payload as its body and the headers {@value #GID}, {@value #BRANCH} and {@value #OPERATION}. An answer of 2xx means
 * done, with the body as the result; 409 (RFC 9110, 15.5.10) refused for good, with the body as the reason; 425 (RFC
 * 8470) not yet; everything else, a redirect too, that it is to be called again; of a decision (confirm, cancel) that
 * is answered with 401, 403, 404 or 405 the log warns at once. Thread-safe.
 */
public final class HttpParticipants implements Participants {
    /** Header: the ID of the transaction. */
    public static final String GID = "Tenon-Gid";

    /** Header: the branch; characters beyond visible ASCII, and {@code %}, as {@code %XX} bytes of UTF-8. */
    public static final String BRANCH = "Tenon-Branch";

    /** Header: what to do, such as {@code action} ({@link Operation#text}). */
    public static final String OPERATION = "Tenon-Operation";

    /** How many characters of an answer are kept; what is beyond is cut off. */
    public static final int ANSWER_LENGTH_MAX = 4096;

    private static final int CONFLICT = 409;
    private static final int TOO_EARLY = 425;

    private final LazyHttpClient client;
    private final Duration timeout;
    private final HttpTargets targets;
    private final WebhookSecrets secrets;
    private final RefusedDecisions refusals = new RefusedDecisions();

    private HttpParticipants(LazyHttpClient client, Duration timeout, HttpTargets targets, WebhookSecrets secrets) {
        this.client = client;
        this.timeout = timeout;
        this.targets = targets;
        this.secrets = secrets;
    }

    /**
     * Participants at any address.
     *
     * @param timeout how long one may take to connect, to begin its answer, and to end it
     */
    public static HttpParticipants create(Duration timeout) {
        // HTTP/1.1: the offer to switch to HTTP/2 that the client makes otherwise is more than simple servers bear.
        HttpClient.Builder client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .followRedirects(HttpClient.Redirect.NEVER)
                .connectTimeout(timeout);
        return new HttpParticipants(new LazyHttpClient(client), timeout, HttpTargets.ANY, WebhookSecrets.NONE);
    }

    /** These, but calls go to allowed addresses only. */
    public HttpParticipants within(HttpTargets allowed) {
        return new HttpParticipants(client, timeout, Objects.requireNonNull(allowed, "allowed"), secrets);
    }

    /**
     * These, and the secrets that {@link HttpTargets#signedWith} and {@link #signed} name. A call whose secret is not
     * among them is made as soon as it is.
     */
    public HttpParticipants signing(WebhookSecrets named) {
        return new HttpParticipants(client, timeout, targets, Objects.requireNonNull(named, "named"));
    }

    /**
     * The target of a notification that is signed, unless its address is one of {@link HttpTargets#signedWith}: the
     * name of its secret stands behind a {@code #} in the log, and is not sent. The secret is in no log.
     *
     * @param address without a fragment
     * @param secret its name, for {@link #signing}
     * @throws IllegalArgumentException if the name is none ({@link WebhookSecrets#requireName})
     */
    public static String signed(String address, String secret) {
        return address + "#" + URLEncoder.encode(WebhookSecrets.requireName(secret), StandardCharsets.UTF_8);
    }

    /** A target as it may be shown: an address without its query, which may be meant for the participant only. */
    public static String shown(String target) {
        String address = address(target);
        int query = address.indexOf('?');
        return query < 0 ? address : address.substring(0, query) + "?…";
    }

    private static String address(String target) {
        int secret = target.indexOf('#');
        return secret < 0 ? target : target.substring(0, secret);
    }

    @Override
    public Optional<Participant> find(String target) {
        return HttpTargets.isHttp(target) ? Optional.of(this::call) : Optional.empty();
    }

    private Reply call(BranchCall call) throws IOException, InterruptedException {
        HttpRequest request = request(call);
        HttpResponse<InputStream> response;
        try {
            response = client.made().send(request, BodyHandlers.ofInputStream());
        } catch (ConnectException e) { // its message is null more often than not
            throw new IOException("can't connect to " + request.uri().getAuthority(), e);
        }
        try (InputStream body = response.body()) {
            String text = textInTime(body);
            refusals.answered(call, response.statusCode(), text);
            return reply(response.statusCode(), text);
        }
    }

    /**
     * The timeout of a request ends at the headers of its answer, and before Java 20 no interrupt ends a read of the
     * body (JDK-8294047): closing it wakes the reader.
     */
    private String textInTime(InputStream body) throws IOException {
        CompletableFuture<Boolean> read = new CompletableFuture<>();
        read.orTimeout(timeout.toNanos(), TimeUnit.NANOSECONDS).whenComplete((done, late) -> {
            if (late != null) {
                close(body);
            }
        });
        String text = "";
        try {
            text = text(body);
        } catch (IOException e) {
            if (read.complete(false)) {
                throw e;
            }
        } finally {
            read.complete(true);
        }
        if (read.isCompletedExceptionally()) { // what was closed may look like an end
            throw new HttpTimeoutException("the answer did not end within " + timeout + " of its headers");
        }
        return text;
    }

    private static void close(InputStream body) {
        try {
            body.close();
        } catch (IOException e) {
            // It is of no use any more.
        }
    }

    private HttpRequest request(BranchCall call) {
        URI uri = targets.require(address(call.target()));
        HttpRequest.Builder request = HttpRequest.newBuilder(uri)
                .timeout(timeout)
                .header(GID, call.gid().text())
                .header(BRANCH, CallSignature.headerText(call.branch()))
                .header(OPERATION, call.operation().text());
        signature(call, uri).forEach(request::header);
        return call.payload().isEmpty()
                ? request.POST(BodyPublishers.noBody()).build()
                : request.header("Content-Type", "application/json")
                        .POST(BodyPublishers.ofString(call.payload()))
                        .build();
    }

    private Map<String, String> signature(BranchCall call, URI uri) {
        Optional<String> forTarget = targets.secret(uri);
        if (forTarget.isPresent()) {
            return CallSignature.of(secret(forTarget.get())).sign(call);
        }
        int secret = call.target().indexOf('#');
        if (secret < 0) {
            return Map.of();
        }
        String name = URLDecoder.decode(call.target().substring(secret + 1), StandardCharsets.UTF_8);
        if (targets.areSignedWith(name)) {
            throw new TenonException("the secret \"" + name + "\" signs calls to its own targets, and nothing else");
        }
        Instant now = TimeSource.system().now();
        String id = call.gid().text();
        return Map.of(
                WebhookSignature.ID,
                id,
                WebhookSignature.TIMESTAMP,
                String.valueOf(now.getEpochSecond()),
                WebhookSignature.SIGNATURE,
                secret(name).sign(id, now, call.payload()));
    }

    private WebhookSignature secret(String name) {
        return secrets.find(name)
                .orElseThrow(() -> new TenonException("no webhook secret of the name \"" + name + "\" here"));
    }

    private static Reply reply(int status, String text) {
        if (status >= 200 && status < 300) {
            return Reply.done(text);
        }
        return switch (status) {
            case CONFLICT -> Reply.refused(text.isBlank() ? "no reason given" : text);
            case TOO_EARLY -> Reply.notYet(text.isBlank() ? "no reason given" : text);
            default ->
                throw new TenonException("answered " + status
                        + (status >= 300 && status < 400 ? ", and redirects are not followed" : "")
                        + (text.isBlank() ? "" : ": " + text));
        };
    }

    private static String text(InputStream body) throws IOException {
        return kept(new String(body.readNBytes(3 * ANSWER_LENGTH_MAX), StandardCharsets.UTF_8));
    }

    /** What is kept of an answer: its beginning. Logs can't keep the character 0, nor half a pair. */
    public static String kept(String answer) {
        String text = answer.replace('\0', '\uFFFD');
        if (text.length() <= ANSWER_LENGTH_MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(ANSWER_LENGTH_MAX - 1))
                ? ANSWER_LENGTH_MAX - 1
                : ANSWER_LENGTH_MAX;
        return text.substring(0, end);
    }
}
