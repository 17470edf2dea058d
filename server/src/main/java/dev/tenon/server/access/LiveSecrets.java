package dev.tenon.server.access;

import dev.tenon.tx.notify.WebhookSecrets;
import dev.tenon.tx.notify.WebhookSignature;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * The secrets of a file, as they are now: YAML with a line {@code name: secret} each, or {@code name: [next, old]}
 * while one is replaced. No message says what a secret is, or quotes the file. Thread-safe.
 */
public final class LiveSecrets implements WebhookSecrets {
    private final Path file;
    private final WatchedFiles watched;
    private volatile Map<String, WebhookSignature> signatures = Map.of();

    /**
     * Reads the file.
     *
     * @throws IllegalArgumentException if it is no file of secrets; the message says why
     */
    public LiveSecrets(Path file) {
        this.file = file;
        this.watched = new WatchedFiles(List.of(file), contents -> signatures = read(contents.get(0)));
    }

    @Override
    public Optional<WebhookSignature> find(String name) {
        return Optional.ofNullable(signatures.get(name));
    }

    /** Looks once whether the file has changed. */
    public void runOnce() {
        watched.runOnce();
    }

    private Map<String, WebhookSignature> read(byte[] text) {
        Object root;
        try {
            root = new Load(LoadSettings.builder().build()).loadFromString(new String(text, StandardCharsets.UTF_8));
        } catch (YamlEngineException e) {
            throw new IllegalArgumentException(
                    file + " is not valid YAML" + where(e), null); // its message quotes the line
        }
        if (!(root instanceof Map<?, ?> entries)) {
            throw wrong("has no line \"name: secret\"");
        }
        Map<String, WebhookSignature> found = new HashMap<>();
        entries.forEach((key, value) -> {
            String name = String.valueOf(key);
            try {
                found.put(WebhookSecrets.requireName(name), WebhookSignature.of(secrets(value)));
            } catch (IllegalArgumentException e) {
                throw wrong(
                        name.startsWith("whsec_")
                                ? "has a secret without a name"
                                : "\"" + name + "\": " + e.getMessage());
            }
        });
        return Map.copyOf(found);
    }

    private static String[] secrets(@Nullable Object value) {
        List<?> all = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
        if (all.isEmpty() || !all.stream().allMatch(String.class::isInstance)) {
            throw new IllegalArgumentException(
                    "it is a text, or a list of texts, such as whsec_… (in quotes, if it is a number)");
        }
        return all.stream().map(String.class::cast).toArray(String[]::new);
    }

    private static String where(YamlEngineException e) {
        return e instanceof MarkedYamlEngineException marked
                ? marked.getProblemMark()
                        .map(at -> " (line " + (at.getLine() + 1) + ")")
                        .orElse("")
                : "";
    }

    private IllegalArgumentException wrong(String why) {
        return new IllegalArgumentException("The file " + file + " " + why);
    }
}
