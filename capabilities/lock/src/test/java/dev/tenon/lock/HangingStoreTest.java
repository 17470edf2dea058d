package dev.tenon.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Session;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.lock.spi.StoreTraits;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A wait ends at its deadline although the store, which failed at first, does not answer any more. */
@Timeout(60)
class HangingStoreTest {
    private final List<String> calls = new CopyOnWriteArrayList<>();
    private final List<Cancel> cancelled = new CopyOnWriteArrayList<>();

    private Object answer(String method, Object argument) {
        calls.add(method);
        return switch (method) {
            case "traits" ->
                new StoreTraits(
                        StoreTraits.TokenSource.STORE_CLOCK,
                        StoreTraits.Push.PUSHED,
                        true,
                        false,
                        Duration.ofMillis(50));
            case "open" -> {
                SessionSpec spec = (SessionSpec) argument;
                yield CompletableFuture.completedFuture(new Session(spec.id(), spec.ttl()));
            }
            case "acquire" ->
                calls.stream().filter("acquire"::equals).count() == 1
                        ? CompletableFuture.failedFuture(new BackendUnavailableException("The store is down"))
                        : new CompletableFuture<>();
            case "cancel" -> {
                cancelled.add((Cancel) argument);
                yield CompletableFuture.completedFuture(new Cancelled.Gone());
            }
            case "closeSession" -> CompletableFuture.completedFuture(null);
            default -> throw new AssertionError("Not expected: " + method);
        };
    }

    @Test
    void aWaitWhoseSecondCallHangsIsCalledOffAndTellsOfTheFirst() {
        LockStore store = (LockStore) Proxy.newProxyInstance(
                LockStore.class.getClassLoader(),
                new Class<?>[] {LockStore.class},
                (proxy, method, arguments) ->
                        answer(method.getName(), Objects.requireNonNullElse(arguments, new Object[] {""})[0]));
        DistributedLock lock =
                new DistributedLock(Locks.over(store), Wish.of("lock", LockMode.EXCLUSIVE, LockOptions.DEFAULT));

        assertThatThrownBy(() -> lock.acquire(Duration.ofMillis(500)))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessage("The store is down");

        assertThat(calls).containsSubsequence("open", "acquire", "acquire", "cancel");
        assertThat(cancelled).isNotEmpty();
    }
}
