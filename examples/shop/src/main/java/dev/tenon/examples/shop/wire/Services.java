package dev.tenon.examples.shop.wire;

import dev.tenon.tx.Message;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.message.MessageSink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.MediaType;
import org.springframework.http.client.ClientHttpResponse;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.client.RestClient;

/** The other services, over HTTP. Thread-safe. */
public final class Services {
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final RestClient http;

    /** With a time limit for each call. */
    public Services() {
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
        requests.setReadTimeout(PATIENCE);
        this.http = RestClient.builder().requestFactory(requests).build();
    }

    /**
     * The participant at a URL: 200 is done, 409 refused for good, and anything else is an exception: it is asked
     * again.
     */
    public Participant participant(String url) {
        return call -> post(url, BranchRequest.of(call));
    }

    /** Where the messages for a URL go. */
    public MessageSink mailbox(String url) {
        return message -> post(url, Letter.of(message));
    }

    private Reply post(String url, Object body) {
        return http.post()
                .uri(url)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange((request, answer) -> {
                    int status = answer.getStatusCode().value();
                    return switch (status) {
                        case 200 -> Reply.done(text(answer));
                        case 409 -> Reply.refused(text(answer));
                        default -> throw new IOException(url + " answers " + status);
                    };
                });
    }

    private static String text(ClientHttpResponse answer) throws IOException {
        return new String(answer.getBody().readAllBytes(), StandardCharsets.UTF_8);
    }

    /** The figures of a service's books; empty if it does not answer. */
    public Map<String, Long> books(String url) {
        try {
            Map<String, Long> books = http.get().uri(url).retrieve().body(new ParameterizedTypeReference<>() {});
            return books == null ? Map.of() : books;
        } catch (RuntimeException down) {
            return Map.of();
        }
    }

    /**
     * A message as JSON.
     *
     * @param id the sender's, the same each time
     * @param type what has happened
     * @param body to whom
     */
    public record Letter(String id, String type, String body) {
        static Letter of(Message message) {
            return new Letter(message.id(), message.type(), message.text());
        }

        /** The message, for who takes it. */
        public Message message() {
            return Message.of("http", type, body).withId(id);
        }
    }
}
