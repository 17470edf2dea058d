package dev.tenon.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Threads for users' code that blocks. */
class CallbacksTest {
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final int AT_A_TIME = 64;

    private final Executor callbacks = Callbacks.threads();
    private final CountDownLatch over = new CountDownLatch(1);
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger done = new AtomicInteger();

    @Test
    void asManyAsTheirDocumentationSaysRunAtATimeAndTheOthersWait() {
        for (int i = 0; i < AT_A_TIME * 2; i++) {
            callbacks.execute(() -> {
                running.incrementAndGet();
                untilOver();
                done.incrementAndGet();
            });
        }
        await().atMost(WAIT).until(() -> running.get() == AT_A_TIME);
        assertThat(done).hasValue(0);
        over.countDown();
        await().atMost(WAIT).until(() -> done.get() == AT_A_TIME * 2);
    }

    @Test
    void theyKeepNoProcessAliveAndEndWhenThereIsNothingToDo() {
        Thread[] seen = new Thread[1];
        callbacks.execute(() -> seen[0] = Thread.currentThread());
        await().atMost(WAIT).until(() -> seen[0] != null);
        assertThat(seen[0].isDaemon()).isTrue();
        assertThat(seen[0].getName()).startsWith("tenon-lock-callbacks-");
        await().atMost(WAIT).until(() -> !seen[0].isAlive());
    }

    @Test
    void thoseWhoWaitForOneOfThemDoNotWaitForEver() {
        CompletableFuture<Void> last = new CompletableFuture<>();
        for (int i = 0; i < AT_A_TIME; i++) {
            callbacks.execute(() -> {
                last.join();
                done.incrementAndGet();
            });
        }
        callbacks.execute(() -> last.complete(null));
        await().atMost(WAIT).until(() -> done.get() == AT_A_TIME);
    }

    /** As in a jar of jars: the application's classes are not those of the system's class loader. */
    @Test
    void theySeeTheClassesOfTheApplication() throws Exception {
        URL here = Callbacks.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader application = new URLClassLoader(new URL[] {here}, null)) {
            Method threads = application.loadClass(Callbacks.class.getName()).getDeclaredMethod("threads");
            threads.setAccessible(true);
            Executor theirs = (Executor) threads.invoke(null);
            CompletableFuture<ClassLoader> seen =
                    CompletableFuture.supplyAsync(() -> Thread.currentThread().getContextClassLoader(), theirs);
            assertThat(seen.get(WAIT.toSeconds(), TimeUnit.SECONDS)).isSameAs(application);
        }
    }

    private void untilOver() {
        try {
            over.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
