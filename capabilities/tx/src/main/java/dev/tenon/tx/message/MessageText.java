package dev.tenon.tx.message;

import dev.tenon.tx.Message;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** A message as one line of text, as a form would be sent, for the payload of a branch. */
final class MessageText {
    private static final String HEADER = "header.";

    private MessageText() {}

    static String of(Message message) {
        List<String> pairs = new ArrayList<>();
        add(pairs, "id", message.id());
        add(pairs, "target", message.target());
        message.key().ifPresent(key -> add(pairs, "key", key));
        add(pairs, "type", message.type());
        add(pairs, "body", Base64.getEncoder().encodeToString(message.body()));
        new TreeMap<>(message.headers()).forEach((name, value) -> add(pairs, HEADER + name, value));
        return String.join("&", pairs);
    }

    /**
     * The message of a text.
     *
     * @throws IllegalArgumentException if it is none
     */
    static Message parse(String text) {
        Map<String, String> fields = new TreeMap<>();
        for (String pair : text.split("&")) {
            int equals = pair.indexOf('=');
            if (equals < 0) {
                throw new IllegalArgumentException("Not the text of a message");
            }
            fields.put(decoded(pair.substring(0, equals)), decoded(pair.substring(equals + 1)));
        }
        Map<String, String> headers = new TreeMap<>();
        fields.forEach((name, value) -> {
            if (name.startsWith(HEADER)) {
                headers.put(name.substring(HEADER.length()), value);
            }
        });
        return new Message(
                required(fields, "id"),
                required(fields, "target"),
                Optional.ofNullable(fields.get("key")),
                required(fields, "type"),
                Base64.getDecoder().decode(required(fields, "body")),
                headers);
    }

    private static void add(List<String> pairs, String name, String value) {
        pairs.add(URLEncoder.encode(name, StandardCharsets.UTF_8)
                + '='
                + URLEncoder.encode(value, StandardCharsets.UTF_8));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }

    private static String required(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("The text of a message has no " + name);
        }
        return value;
    }
}
