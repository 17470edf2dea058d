package dev.tenon.tx.notify;

import dev.tenon.TimeSource;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Reply;
import java.io.IOException;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * Sends notifications: {@code POST}s their body to their address, signed ({@link WebhookSignature}). The receiver's
 * status decides: 2xx, it has it; 409, it never wants it; anything else, or nothing, and it is sent again, with the
 * same ID and body. Redirects are not followed. Thread-safe.
 */
public final class HttpNotifier implements Participants {
    private static final String PREFIX = "notify:";
    private static final int REFUSED = 409;
    private static final int TOO_EARLY = 425;

    private final HttpClient client;
    private final WebhookSignature signature;
    private final WebhookSecrets secrets;
    private final Duration timeout;
    private final TimeSource time;

    private HttpNotifier(
            HttpClient client, WebhookSignature signature, WebhookSecrets secrets, Duration timeout, TimeSource time) {
        this.client = client;
        this.signature = signature;
        this.secrets = secrets;
        this.timeout = timeout;
        this.time = time;
    }

    /**
     * A notifier.
     *
     * @param client whose proxy, TLS and redirects are used: one that follows none is best
     * @param signature of notifications that name no secret
     * @param timeout for each try, less than {@link dev.tenon.tx.TransactionOptions#callTimeout}
     * @param time what the receiver's clock is compared with
     */
    public static HttpNotifier over(HttpClient client, WebhookSignature signature, Duration timeout, TimeSource time) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(signature, "signature");
        Objects.requireNonNull(time, "time");
        if (timeout.isNegative() || timeout.isZero()) {
            throw new IllegalArgumentException("A try takes some time, not " + timeout);
        }
        return new HttpNotifier(client, signature, WebhookSecrets.NONE, timeout, time);
    }

    /** A notifier with a client of its own; each try may take 5 seconds. */
    public static HttpNotifier signing(WebhookSignature signature) {
        HttpClient client = HttpClient.newBuilder()
                .connectTimeout(Duration.ofSeconds(5))
                .followRedirects(HttpClient.Redirect.NEVER)
                .build();
        return over(client, signature, Duration.ofSeconds(5), TimeSource.system());
    }

    /**
     * This, and the secrets that {@link Notifications#signedBy} names. A notification whose secret is not among them is
     * sent as soon as it is.
     */
    public HttpNotifier with(WebhookSecrets named) {
        return new HttpNotifier(client, signature, Objects.requireNonNull(named, "named"), timeout, time);
    }

    /**
     * What stands in the log for an address.
     *
     * @param secret the name of the one that signs; empty: that of the notifier
     */
    static String target(URI address, String secret) {
        String scheme = address.getScheme();
        if (!"http".equals(scheme) && !"https".equals(scheme)
                || address.getHost() == null
                || address.getUserInfo() != null
                || address.getFragment() != null) {
            throw new IllegalArgumentException("A notification goes to an http or https address with a host and without"
                    + " a user or a fragment, not to " + scheme + "://…" + address.getHost());
        }
        return PREFIX + address + (secret.isEmpty() ? "" : "#" + URLEncoder.encode(secret, StandardCharsets.UTF_8));
    }

    @Override
    public Optional<Participant> find(String target) {
        return target.startsWith(PREFIX) ? Optional.of(this::send) : Optional.empty();
    }

    private WebhookSignature named(String encoded) throws IOException {
        String name = URLDecoder.decode(encoded, StandardCharsets.UTF_8);
        return secrets.find(name)
                .orElseThrow(() -> new IOException("no webhook secret of the name \"" + name + "\" here"));
    }

    private Reply send(BranchCall call) throws IOException, InterruptedException {
        int name = call.target().indexOf('#');
        URI address = URI.create(call.target()
                .substring(PREFIX.length(), name < 0 ? call.target().length() : name));
        WebhookSignature signing = name < 0 ? signature : named(call.target().substring(name + 1));
        String id = call.gid().text();
        Instant now = time.now();
        HttpRequest request = HttpRequest.newBuilder(address)
                .timeout(timeout)
                .header("content-type", "application/json")
                .header(WebhookSignature.ID, id)
                .header(WebhookSignature.TIMESTAMP, Long.toString(now.getEpochSecond()))
                .header(WebhookSignature.SIGNATURE, signing.sign(id, now, call.payload()))
                .POST(HttpRequest.BodyPublishers.ofString(call.payload(), StandardCharsets.UTF_8))
                .build();
        int status =
                client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        if (status / 100 == 2) {
            return Reply.done();
        }
        return switch (status) {
            case REFUSED -> Reply.refused("the receiver answered 409");
            case TOO_EARLY -> Reply.notYet("the receiver answered 425");
            default -> throw new IOException("the receiver answered " + status);
        };
    }
}
