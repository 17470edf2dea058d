package dev.tenon.server.observe;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.spi.BuilderConfigStore;
import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.StoreEvents;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Measures every call of a store, whatever its methods are: a proxy in front of each part of the backend, so that nothing has
 * to be written anew when an interface grows. Thread-safe.
 */
public final class StoreMeter {
    private static final Map<Class<?>, String> PARTS = Map.of(
            LockStore.class, "locks",
            RangeStore.class, "ranges",
            WorkerIdSource.class, "workers",
            DefinitionStore.class, "definitions",
            TransactionStore.class, "transactions",
            OutboxOperations.class, "outbox",
            BuilderConfigStore.class, "codes");

    /** What takes no time, and is asked at every turn. */
    private static final Set<String> NO_CALLS = Set.of("traits", "now", "close", "toString", "hashCode", "equals");

    private final Observer observer;
    private final StoreCounts counts;

    /**
     * @param observer hears of each call
     * @param metrics counts what the answers say
     */
    public StoreMeter(Observer observer, Metrics metrics) {
        this.observer = observer;
        this.counts = new StoreCounts(metrics);
    }

    /** The same backend, measured. */
    public ServerBackend over(ServerBackend backend) {
        return (ServerBackend) Proxy.newProxyInstance(
                ServerBackend.class.getClassLoader(), new Class<?>[] {ServerBackend.class}, (proxy, method, given) -> {
                    Object answer = invoke(backend, method, counting(given));
                    return answer instanceof Optional<?> maybe ? maybe.map(this::measured) : measured(answer);
                });
    }

    private @Nullable Object measured(@Nullable Object part) {
        if (part == null) {
            return null;
        }
        for (Map.Entry<Class<?>, String> known : PARTS.entrySet()) {
            if (known.getKey().isInstance(part)) {
                return Proxy.newProxyInstance(
                        StoreMeter.class.getClassLoader(), interfaces(part), handler(part, known.getValue()));
            }
        }
        return part;
    }

    /** All public interfaces: what a store can do beyond the common must not be hidden. */
    private static Class<?>[] interfaces(Object part) {
        Set<Class<?>> all = new LinkedHashSet<>();
        for (Class<?> type = part.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> implemented : type.getInterfaces()) {
                if (java.lang.reflect.Modifier.isPublic(implemented.getModifiers())) {
                    all.add(implemented);
                }
            }
        }
        return all.toArray(Class<?>[]::new);
    }

    private InvocationHandler handler(Object part, String name) {
        return (proxy, method, given) -> {
            if (NO_CALLS.contains(method.getName())) {
                return invoke(part, method, given);
            }
            String call = name + "." + method.getName();
            long began = System.nanoTime();
            try {
                Object answer = invoke(part, method, counting(given));
                if (answer instanceof CompletionStage<?> stage) {
                    return stage.whenComplete((value, failure) -> ended(call, given, began, value, failure));
                }
                ended(call, given, began, answer, null);
                return answer;
            } catch (RuntimeException e) {
                ended(call, given, began, null, e);
                throw e;
            }
        };
    }

    private void ended(
            String call, Object @Nullable [] given, long began, @Nullable Object answer, @Nullable Throwable failure) {
        observer.stored(call, outcome(failure), Duration.ofNanos(System.nanoTime() - began));
        if (failure == null && given != null) {
            counts.answered(call, given, answer);
        }
    }

    private static String outcome(@Nullable Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause == null) {
            return "ok";
        }
        if (cause instanceof OutcomeUnknownException) {
            return "unknown";
        }
        return cause instanceof BackendUnavailableException ? "unavailable" : "refused";
    }

    /** The same arguments, but that events are counted on their way. */
    private Object @Nullable [] counting(Object @Nullable [] given) {
        if (given == null) {
            return null;
        }
        Object[] passed = given.clone();
        for (int i = 0; i < passed.length; i++) {
            if (passed[i] instanceof StoreEvents events) {
                passed[i] = counts.over(events);
            }
        }
        return passed;
    }

    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] given) throws Throwable {
        try {
            return method.invoke(target, given);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }
}
