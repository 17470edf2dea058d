package dev.tenon.testkit.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.junit.jupiter.api.Test;

class CrashProcessTest {
    /** Of threads that meet; the fault showed in one of a thousand or so. */
    private static final int ROUNDS = 30_000;

    /**
     * A pool gives what is closed to others at once: a process that dies later must not cut it, as it is theirs by now.
     */
    @Test
    void aConnectionIsClosedOrCutButNotBoth() throws Exception {
        requireOneEnd(ends -> ends.process().over("db", source(ends)).getConnection()::close);
    }

    @Test
    void aConnectionOfXaIsClosedOrCutButNotBoth() throws Exception {
        requireOneEnd(ends -> ends.process().over("db", xaSource(ends)).getXAConnection()::close);
    }

    private interface Open {
        AutoCloseable in(Ends ends) throws Exception;
    }

    /** A process that dies at its one step, and what became of its one connection. */
    private record Ends(CrashProcess process, AtomicInteger closed, AtomicInteger cut) {
        Ends() {
            this(
                    CrashProcess.crashingAt(Optional.of("before step #1"), new SqlSteps(), () -> {}),
                    new AtomicInteger(),
                    new AtomicInteger());
        }

        void die() throws Exception {
            try {
                process.during("step", () -> "");
            } catch (Crash e) {
                // as it is to
            }
        }
    }

    private static void requireOneEnd(Open open) throws Exception {
        CyclicBarrier together = new CyclicBarrier(2);
        ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            for (int i = 0; i < ROUNDS; i++) {
                Ends ends = new Ends();
                AutoCloseable connection = open.in(ends);
                Future<?> dying = other.submit(() -> {
                    together.await();
                    ends.die();
                    return null;
                });
                together.await();
                connection.close();
                dying.get(1, TimeUnit.MINUTES);
                assertThat(ends.closed().get() + ends.cut().get())
                        .as("ends in round %s", i)
                        .isEqualTo(1);
            }
        } finally {
            other.shutdownNow();
        }
    }

    private static DataSource source(Ends ends) {
        return proxy(DataSource.class, ignored -> connection(ends));
    }

    private static Connection connection(Ends ends) {
        return proxy(Connection.class, method -> switch (method) {
            case "close" -> ends.closed().incrementAndGet();
            case "abort" -> ends.cut().incrementAndGet();
            default -> true; // isClosed
        });
    }

    /** A connection of XA can only be closed: twice is once too often. */
    private static XADataSource xaSource(Ends ends) {
        return proxy(
                XADataSource.class,
                ignored -> proxy(XAConnection.class, method -> ends.closed().incrementAndGet()));
    }

    private interface Answer {
        Object to(String method) throws SQLException;
    }

    private static <T> T proxy(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
            Object is = answer.to(method.getName());
            return method.getReturnType() == void.class ? null : is;
        }));
    }
}
