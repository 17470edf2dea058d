package dev.tenon.tx.message;

import dev.tenon.DaemonThreads;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads of an outbox: they keep no JVM from ending, and are gone when there is nothing to do for a while. */
final class RelayThreads {
    static final int IDLE_SECONDS = 10;

    private RelayThreads() {}

    static ExecutorService pool(int size, String name) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), DaemonThreads.numbered(name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
