package dev.tenon.tx.http;

import java.net.http.HttpClient;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A client that is made when it is first needed: it reads the machine's certificates and starts a thread, which is a
 * tenth of the start of a server that may never call a participant. Thread-safe.
 */
final class LazyHttpClient {
    private final ReentrantLock lock = new ReentrantLock();
    private final HttpClient.Builder builder;
    private volatile @Nullable HttpClient made;

    LazyHttpClient(HttpClient.Builder builder) {
        this.builder = builder;
    }

    HttpClient made() {
        HttpClient known = made;
        if (known != null) {
            return known;
        }
        lock.lock();
        try {
            HttpClient meanwhile = made;
            if (meanwhile == null) {
                meanwhile = builder.build();
                made = meanwhile;
            }
            return meanwhile;
        } finally {
            lock.unlock();
        }
    }
}
