package dev.tenon.testkit;

import static org.awaitility.Awaitility.await;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.StoreEvents;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Keeps everything that a store tells a session, and waits for it. Thread-safe. */
public final class RecordedEvents implements StoreEvents {
    private final List<Grant> grants = new CopyOnWriteArrayList<>();
    private final List<String> lostSessions = new CopyOnWriteArrayList<>();

    @Override
    public void granted(Grant grant) {
        grants.add(grant);
    }

    @Override
    public void sessionLost(String sessionId) {
        lostSessions.add(sessionId);
    }

    @Override
    public void resync() {}

    /** The grant of a request, if it was told. */
    public Optional<Grant> grantOf(String requestId) {
        return grants.stream().filter(g -> g.requestId().equals(requestId)).findFirst();
    }

    /** Waits for the grant of a request; fails the test after {@code atMost}. */
    public Grant awaitGrantOf(String requestId, Duration atMost) {
        return await("grant of " + requestId)
                .pollInterval(Duration.ofMillis(2))
                .atMost(atMost)
                .until(() -> grantOf(requestId), Optional::isPresent)
                .orElseThrow();
    }

    /** Everything granted so far, in the order of telling. */
    public List<Grant> grants() {
        return List.copyOf(grants);
    }

    /** Every session that was reported as lost. */
    public List<String> lostSessions() {
        return List.copyOf(lostSessions);
    }
}
