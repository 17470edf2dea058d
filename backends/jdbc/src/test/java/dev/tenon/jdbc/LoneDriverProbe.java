package dev.tenon.jdbc;

import dev.tenon.TenonException;
import dev.tenon.lock.Lease;
import java.sql.Driver;
import java.time.Duration;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.sql.DataSource;

/** Uses a backend with the drivers of its own class loader, or a pool; says what came of it. */
public final class LoneDriverProbe implements Function<Object[], String> {
    private static final Duration WAIT = Duration.ofSeconds(30);

    /** @param given URL, user, password, and a pool or null */
    @Override
    public String apply(Object[] given) {
        // The driver manager looks for drivers once in a JVM; these register themselves when they are seen.
        ServiceLoader.load(Driver.class, LoneDriverProbe.class.getClassLoader()).forEach(driver -> {});
        Properties credentials = new Properties();
        credentials.setProperty("user", (String) given[1]);
        credentials.setProperty("password", (String) given[2]);
        try (JdbcBackend holder = backend(given, credentials);
                JdbcBackend waiter = backend(given, credentials)) {
            long numbers = holder.ranges().next("lone", 3).count(); // fails at once where a lock is tried for again
            Lease held = holder.locks().lock("lone").acquire(WAIT);
            CompletableFuture<Lease> next = CompletableFuture.supplyAsync(() -> wait(waiter));
            while (holder.locks()
                    .inspect("lone")
                    .filter(view -> !view.queue().isEmpty())
                    .isEmpty()) {
                Thread.onSpinWait();
            }
            held.close();
            next.get(WAIT.toSeconds(), TimeUnit.SECONDS).close();
            holder.fence();
            holder.outbox();
            return "works " + numbers;
        } catch (TenonException e) {
            StringBuilder chain = new StringBuilder();
            for (Throwable each = e; each != null; each = each.getCause()) {
                chain.append(each.getMessage()).append(" | ");
            }
            return chain.toString();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static JdbcBackend backend(Object[] given, Properties credentials) {
        return given[3] == null
                ? JdbcBackend.connect((String) given[0], credentials, JdbcOptions.DEFAULT, false)
                : JdbcBackend.over((DataSource) given[3]);
    }

    private static Lease wait(JdbcBackend waiter) {
        try {
            return waiter.locks().lock("lone").acquire(WAIT);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
