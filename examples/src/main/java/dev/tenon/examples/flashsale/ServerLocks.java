package dev.tenon.examples.flashsale;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The locks of a Tenon server by plain HTTP, as any language has it. Thread-safe. */
final class ServerLocks implements Checkout {
    /** Longer than the sale, so that this example need not keep the session alive. */
    private static final String TTL = "PT2M";

    private final HttpClient http = HttpClient.newHttpClient();
    private final URI server;
    private final String session;

    private ServerLocks(URI server) throws IOException, InterruptedException {
        this.server = server;
        this.session = field("id", post("/v1/sessions", "{\"ttl\":\"" + TTL + "\",\"owner\":\"flash sale\"}"));
    }

    static ServerLocks connect(URI server) throws IOException, InterruptedException {
        return new ServerLocks(server);
    }

    // tag::http[]
    @Override
    public AutoCloseable enter() throws IOException, InterruptedException {
        String wish = "{\"session\":\"%s\",\"wait\":\"%s\",\"lease\":\"PT30S\"}".formatted(session, PATIENCE);
        String token = field("token", post("/v1/locks/" + LOCK + "/acquire", wish));
        return () ->
                post("/v1/locks/" + LOCK + "/release", "{\"session\":\"%s\",\"token\":%s}".formatted(session, token));
    }
    // end::http[]

    /** Ends the session, and with it whatever it still holds. */
    @Override
    public void close() throws IOException {
        try {
            send(request("/v1/sessions/" + session).DELETE());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the session ends by its time to live
        }
    }

    private String post(String path, String body) throws IOException, InterruptedException {
        return send(request(path).header("Content-Type", "application/json").POST(BodyPublishers.ofString(body)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path)).timeout(PATIENCE.plus(Duration.ofSeconds(10)));
    }

    private String send(HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(answer.request().uri() + " answers " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    /** One field of a flat JSON object: enough here; a real client has a JSON library. */
    private static String field(String name, String json) throws IOException {
        Matcher value =
                Pattern.compile("\"" + name + "\"\\s*:\\s*\"?([^\",}]+)").matcher(json);
        if (!value.find()) {
            throw new IOException("No \"" + name + "\" in " + json);
        }
        return value.group(1);
    }
}
