package dev.tenon.server.access;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** The keys of a file, as they are now: one that is revoked there is refused a second later. Thread-safe. */
public final class LiveKeys implements Supplier<ApiKeys> {
    private final Path file;
    private final Audit audit;
    private final WatchedFiles watched;
    private volatile ApiKeys keys = new ApiKeys(List.of());
    private volatile boolean read;

    /**
     * Reads the file.
     *
     * @param audit told of each key that comes or goes
     * @throws IllegalArgumentException if it is no file of keys; the message says why
     */
    public LiveKeys(Path file, Audit audit) {
        this.file = file;
        this.audit = audit;
        this.watched = new WatchedFiles(List.of(file), contents -> take(contents.get(0)));
    }

    @Override
    public ApiKeys get() {
        return keys;
    }

    /** Looks once whether the file has changed. */
    public void runOnce() {
        watched.runOnce();
    }

    private void take(byte[] text) {
        ApiKeys now;
        try {
            now = ApiKeyFile.parse(text);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
        }
        ApiKeys before = keys;
        keys = now;
        if (read) {
            tellDifferences(before, now);
        }
        read = true;
    }

    private void tellDifferences(ApiKeys before, ApiKeys now) {
        Map<String, ApiKey> gone = new HashMap<>();
        before.all().forEach(key -> gone.put(key.id(), key));
        for (ApiKey key : now.all()) {
            ApiKey old = gone.remove(key.id());
            if (old == null) {
                tell("key-created", key.createdBy(), key);
            } else if (!old.equals(key)) {
                tell("key-changed", "the writer of " + file, key);
            }
        }
        gone.values().forEach(key -> tell("key-revoked", "the writer of " + file, key));
    }

    private void tell(String what, String who, ApiKey key) {
        Map<String, Object> more = new LinkedHashMap<>();
        more.put("id", key.id());
        more.put("role", ApiKeyFile.word(key.role()));
        more.put("for", key.scopes().stream().map(ApiKeyFile::word).sorted().toList());
        more.put("prefixes", key.prefixes());
        audit.tell(what, who, key.name(), more);
    }
}
