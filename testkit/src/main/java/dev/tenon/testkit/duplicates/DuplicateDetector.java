package dev.tenon.testkit.duplicates;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterTestExecutionCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test in which an ID came up twice. Register it, and give it every ID:
 *
 * <pre>{@code
 * @RegisterExtension
 * final DuplicateDetector ids = new DuplicateDetector();
 * }</pre>
 *
 * <p>It compares exactly, and keeps every ID for that: some 100 bytes for each. {@link DuplicateHunt} is what makes
 * clocks jump and stores fail meanwhile. Thread-safe; tests of one class must not run concurrently.
 */
public final class DuplicateDetector implements BeforeTestExecutionCallback, AfterTestExecutionCallback {
    private static final int SHOWN_MAX = 5;

    private final Map<Object, String> seen = new ConcurrentHashMap<>();
    private final Queue<String> duplicates = new ConcurrentLinkedQueue<>();
    private final AtomicLong duplicated = new AtomicLong();

    /** A detector that has seen nothing. */
    public DuplicateDetector() {}

    /**
     * Takes note of an ID.
     *
     * @param id a {@code Long}, {@code String}, {@code UUID} or whatever else has {@code equals} and {@code hashCode}
     * @return {@code id}
     */
    public <T> T record(T id) {
        Objects.requireNonNull(id, "id");
        String who = Thread.currentThread().getName();
        String before = seen.putIfAbsent(id, who);
        if (before != null && duplicated.incrementAndGet() <= SHOWN_MAX) {
            duplicates.add(id + " (in thread " + before + ", and again in " + who + ")");
        }
        return id;
    }

    /** Takes note of IDs, as {@link #record(Object)} does of each. */
    public void record(long[] ids) {
        for (long id : ids) {
            record((Object) id);
        }
    }

    /** The same supplier, with note taken of what it gives. */
    public <T> Supplier<T> watched(Supplier<T> ids) {
        Objects.requireNonNull(ids, "ids");
        return () -> record(ids.get());
    }

    /** How many different IDs were seen in this test. */
    public int seen() {
        return seen.size();
    }

    /** The first few duplicates, told for people; empty if there is none. */
    public List<String> duplicates() {
        return List.copyOf(duplicates);
    }

    /** Forgets what the test before has seen. */
    @Override
    public void beforeTestExecution(ExtensionContext context) {
        seen.clear();
        duplicates.clear();
        duplicated.set(0);
    }

    /** Fails the test if there was a duplicate. */
    @Override
    public void afterTestExecution(ExtensionContext context) {
        if (duplicated.get() > 0) {
            throw new AssertionError(duplicated.get() + " of " + (seen.size() + duplicated.get())
                    + " IDs were issued before: " + String.join(", ", duplicates));
        }
    }
}
