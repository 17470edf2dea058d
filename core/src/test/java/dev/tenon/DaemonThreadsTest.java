package dev.tenon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;

class DaemonThreadsTest {
    private static final InheritableThreadLocal<String> INHERITED = new InheritableThreadLocal<>();

    @Test
    void aThreadHasItsNameAndTaskAndIsNotStarted() throws InterruptedException {
        List<String> ran = new ArrayList<>();
        Thread thread = DaemonThreads.of(
                "tenon-test", () -> ran.add(Thread.currentThread().getName()));
        assertThat(thread.isDaemon()).isTrue();
        assertThat(thread.getState()).isEqualTo(Thread.State.NEW);
        thread.start();
        thread.join();
        assertThat(ran).containsExactly("tenon-test");
    }

    @Test
    void namedThreadsShareOneName() {
        ThreadFactory factory = DaemonThreads.named("tenon-test");
        for (int i = 0; i < 2; i++) {
            Thread thread = factory.newThread(() -> {});
            assertThat(thread.getName()).isEqualTo("tenon-test");
            assertThat(thread.isDaemon()).isTrue();
        }
    }

    @Test
    void eachFactoryOfNumberedThreadsCountsFromOne() {
        ThreadFactory one = DaemonThreads.numbered("tenon-test");
        ThreadFactory other = DaemonThreads.numbered("tenon-other");
        assertThat(one.newThread(() -> {}).getName()).isEqualTo("tenon-test-1");
        assertThat(one.newThread(() -> {}).getName()).isEqualTo("tenon-test-2");
        assertThat(other.newThread(() -> {}).getName()).isEqualTo("tenon-other-1");
        assertThat(one.newThread(() -> {}).isDaemon()).isTrue();
    }

    @Test
    void theyInheritFromTheThreadThatCreatesThem() throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
            for (ThreadFactory factory : List.of(
                    DaemonThreads.named("tenon-test"),
                    DaemonThreads.numbered("tenon-test"),
                    task -> DaemonThreads.of("tenon-test", task))) {
                Seen seen = seenBy(factory, loader);
                assertThat(seen.local()).isEqualTo("of the creator");
                assertThat(seen.thread().getContextClassLoader()).isSameAs(loader);
            }
        }
    }

    @Test
    void detachedThreadsInheritNothing() throws Exception {
        ClassLoader own = DaemonThreadsTest.class.getClassLoader();
        try (URLClassLoader loader = new URLClassLoader(new URL[0])) {
            ThreadFactory factory = DaemonThreads.detached("tenon-test", own);
            Seen seen = seenBy(factory, loader);
            assertThat(seen.local()).isEqualTo("none");
            assertThat(seen.thread().getContextClassLoader()).isSameAs(own);
            assertThat(seen.thread().getName()).isEqualTo("tenon-test-1");
            assertThat(seen.thread().isDaemon()).isTrue();
            assertThat(factory.newThread(() -> {}).getName()).isEqualTo("tenon-test-2");
        }
    }

    @Test
    @SuppressWarnings("NullAway")
    void refusesNull() {
        ClassLoader loader = DaemonThreadsTest.class.getClassLoader();
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.of(null, () -> {}));
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.of("a", null));
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.named(null));
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.numbered(null));
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.detached(null, loader));
        assertThatNullPointerException().isThrownBy(() -> DaemonThreads.detached("a", null));
    }

    private record Seen(Thread thread, String local) {}

    /**
     * A thread that the factory makes on a thread with a value and a loader of its own, and what it sees of the value.
     */
    private static Seen seenBy(ThreadFactory factory, ClassLoader loader) throws InterruptedException {
        List<Seen> seen = new ArrayList<>();
        Thread creator = new Thread(() -> {
            INHERITED.set("of the creator");
            Thread made = factory.newThread(() -> {
                String local = INHERITED.get();
                seen.add(new Seen(Thread.currentThread(), local == null ? "none" : local));
            });
            made.start();
            try {
                made.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        creator.setContextClassLoader(loader);
        creator.start();
        creator.join();
        return seen.get(0);
    }
}
