package dev.tenon.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import dev.tenon.memory.MemoryBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.DefaultLockingTaskExecutor;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

/** What ShedLock's own suite does not ask. */
class TenonLockProviderTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void aTaskRunsInOneProcessAtATime() throws Throwable {
        String database = "jdbc:h2:mem:" + UUID.randomUUID();
        try (JdbcBackend one = JdbcBackend.connect(database);
                JdbcBackend other = JdbcBackend.connect(database);
                TenonLockProvider here = TenonLockProvider.over(one.lockStore());
                TenonLockProvider there = TenonLockProvider.over(other.lockStore())) {
            AtomicInteger runs = new AtomicInteger();
            new DefaultLockingTaskExecutor(here)
                    .executeWithLock(
                            (Runnable) () -> {
                                runs.incrementAndGet();
                                assertThat(there.lock(wish("report", MINUTE))).isEmpty();
                                assertThat(here.lock(wish("report", MINUTE))).isEmpty();
                            },
                            wish("report", MINUTE));
            assertThat(runs).hasValue(1);
            assertThat(there.lock(wish("report", MINUTE))).isPresent();
        }
    }

    @Test
    void aTaskDoesNotRunWhileTheStoreIsAway() {
        try (MemoryBackend memory = MemoryBackend.create()) {
            LockStore away = intercepted(
                    memory.lockStore(),
                    method -> method.equals("acquire")
                            ? Optional.of(CompletableFuture.failedFuture(new BackendUnavailableException("away")))
                            : Optional.empty());
            AtomicBoolean ran = new AtomicBoolean();
            assertThatThrownBy(() -> new DefaultLockingTaskExecutor(TenonLockProvider.over(away))
                            .executeWithLock((Runnable) () -> ran.set(true), wish("report", MINUTE)))
                    .isInstanceOf(BackendUnavailableException.class);
            assertThat(ran).isFalse();
        }
    }

    @Test
    void aSessionThatIsGoneIsReplaced() {
        try (MemoryBackend memory = MemoryBackend.create();
                TenonLockProvider provider = TenonLockProvider.over(memory.lockStore())) {
            provider.lock(wish("a", MINUTE)).orElseThrow();
            String session = holder(memory.lockStore(), "a").orElseThrow();
            memory.lockStore().closeSession(session).toCompletableFuture().join();
            assertThat(provider.lock(wish("a", MINUTE))).isPresent();
            assertThat(holder(memory.lockStore(), "a")).isPresent().get().isNotEqualTo(session);
        }
    }

    @Test
    void theSessionOutlivesEveryLease() {
        try (MemoryBackend memory = MemoryBackend.create()) {
            AtomicInteger signs = new AtomicInteger();
            LockStore counted = intercepted(memory.lockStore(), method -> {
                if (method.equals("keepAlive")) {
                    signs.incrementAndGet();
                }
                return Optional.empty();
            });
            ManualClock clock = new ManualClock(Instant.EPOCH);
            try (TenonLockProvider provider = TenonLockProvider.over(counted, clock)) {
                provider.lock(wish("a", MINUTE)).orElseThrow().unlock();
                clock.advance(Duration.ofHours(23));
                SimpleLock lock = provider.lock(wish("a", MINUTE)).orElseThrow();
                assertThat(signs).hasValue(0);
                assertThat(lock.extend(Duration.ofHours(2), Duration.ZERO)).isPresent();
                assertThat(signs).hasValue(1);
                provider.lock(wish("b", Duration.ofHours(23))).orElseThrow();
                assertThat(signs).hasValue(1);
                clock.advance(Duration.ofHours(2));
                provider.lock(wish("c", Duration.ofHours(23))).orElseThrow();
                assertThat(signs).hasValue(2);
            }
        }
    }

    @Test
    void whatIsLockedIsFreeAfterTheEnd() {
        try (MemoryBackend memory = MemoryBackend.create()) {
            TenonLockProvider provider = TenonLockProvider.over(memory.lockStore());
            provider.lock(wish("a", MINUTE)).orElseThrow();
            provider.close();
            provider.close();
            assertThat(holder(memory.lockStore(), "a")).isEmpty();
        }
    }

    @Test
    void moreThanADayIsRefused() {
        try (MemoryBackend memory = MemoryBackend.create();
                TenonLockProvider provider = TenonLockProvider.over(memory.lockStore())) {
            assertThatThrownBy(() -> provider.lock(wish("a", Duration.ofHours(25))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("at most PT24H");
        }
    }

    private static LockConfiguration wish(String name, Duration atMost) {
        return new LockConfiguration(Instant.now(), name, atMost, Duration.ZERO);
    }

    private static Optional<String> holder(LockStore store, String name) {
        return store.inspect(name)
                .toCompletableFuture()
                .join()
                .flatMap(LockView::holder)
                .map(LockView.HolderView::sessionId);
    }

    private interface Answers {
        Optional<Object> to(String method);
    }

    private static LockStore intercepted(LockStore store, Answers answers) {
        return (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(), new Class<?>[] {LockStore.class}, (proxy, method, arguments) -> {
                    Optional<Object> answer = answers.to(method.getName());
                    if (answer.isPresent()) {
                        return answer.get();
                    }
                    try {
                        return method.invoke(store, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
