package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaTransaction;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.task.AsyncTaskExecutor;

/**
 * On virtual threads ({@code spring.threads.virtual.enabled}) nothing of Tenon's holds the thread of the operating
 * system while it waits: no such event (jdk.VirtualThreadPinned) has a frame of Tenon's. On a JDK from 24 on, left out
 * by the build on older ones; first calls, in which classes are initialized, are not looked at.
 */
class VirtualThreadsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String PINNED = "jdk.VirtualThreadPinned";
    private static final String OURS = "dev.tenon.";
    private static final String TEST = VirtualThreadsTest.class.getPackageName() + ".";

    @TempDir
    private Path folder;

    @Test
    void locksAndIdsPinNoThread() throws Exception {
        for (EveryBackend backend : EveryBackend.values()) {
            try (BootApplication application = backend.start()) {
                StoreUse.work(application);
                assertThat(pinned(application, () -> StoreUse.work(application)))
                        .as(backend.key())
                        .isEmpty();
            }
        }
    }

    @Test
    void transactionsPinNoThread() throws Exception {
        List<String> keys = new ArrayList<>(List.of(Bank.keys()));
        keys.addAll(List.of(
                "tenon.backend=jdbc",
                "tenon.transactions.automatic-undo=dataSource",
                "tenon.notifications.secrets=" + Bank.SECRET));
        try (BootApplication application = BootApplication.start(Bank.class, keys.toArray(String[]::new))) {
            transact(application, "first");
            assertThat(pinned(application, () -> transact(application, "second")))
                    .isEmpty();
        }
    }

    /** Transactions of each mode, at once, each on a thread of the application's. */
    private static void transact(BootApplication application, String name) throws Exception {
        Transactions transactions = application.bean(Transactions.class);
        List<Callable<TransactionState>> all = List.of(
                () -> {
                    TransactionId gid = new TransactionId("saga-" + name);
                    application.bean(Sagas.class).start("order", gid, "{}");
                    return end(transactions, gid);
                },
                () -> {
                    TransactionId gid = new TransactionId("tcc-" + name);
                    try (TccTransaction tx = application.bean(Tcc.class).begin(gid, TccBranch.of("debit", "1"))) {
                        tx.commit();
                    }
                    return end(transactions, gid);
                },
                () -> {
                    try (XaTransaction tx = application.bean(Xa.class).begin()) {
                        Bank.add(tx.connection("giro"), -1);
                        Bank.add(tx.connection("savings"), 1);
                        tx.commit();
                        return TransactionState.COMMITTED;
                    }
                },
                () -> {
                    try (AtTransaction tx =
                            application.bean(AtTransactions.class).begin(PATIENCE)) {
                        Bank.add(tx.connection("savingsRows"), 1);
                        tx.commit();
                        return end(transactions, tx.gid());
                    }
                },
                () -> {
                    TransactionId gid = new TransactionId("notification-" + name);
                    application.bean(Bank.Transfers.class).pay(1, application.address("/hook"), gid, false);
                    transactions.hurry(gid);
                    return end(transactions, gid);
                });
        List<CompletableFuture<TransactionState>> ends = new ArrayList<>();
        for (Callable<TransactionState> one : all) {
            ends.add(onVirtualThread(application, one));
        }
        for (CompletableFuture<TransactionState> end : ends) {
            assertThat(end.get(2, TimeUnit.MINUTES)).isIn(TransactionState.COMMITTED, TransactionState.ABORTED);
        }
    }

    private static TransactionState end(Transactions transactions, TransactionId gid) throws InterruptedException {
        return transactions.await(gid, PATIENCE).state();
    }

    /**
     * The stacks with a frame of Tenon's of virtual threads that were pinned meanwhile; it is seen that one would be
     * seen.
     */
    private List<String> pinned(BootApplication application, Work work) throws Exception {
        List<RecordedEvent> events;
        try (Recording recording = new Recording()) {
            recording.enable(PINNED).withStackTrace().withoutThreshold();
            recording.start();
            work.run();
            onVirtualThread(application, Pinning::pin).get(1, TimeUnit.MINUTES);
            recording.stop();
            Path file = folder.resolve(recording.getId() + ".jfr");
            recording.dump(file);
            events = RecordingFile.readAllEvents(file);
        }
        assertThat(events)
                .as("a thread that waits below native code is recorded")
                .anyMatch(event -> hasFrame(event, Pinning.class.getName()));
        return events.stream()
                .filter(event ->
                        frames(event).stream().anyMatch(type -> type.startsWith(OURS) && !type.startsWith(TEST)))
                .map(RecordedEvent::toString)
                .toList();
    }

    private static boolean hasFrame(RecordedEvent event, String type) {
        return frames(event).contains(type);
    }

    private static List<String> frames(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        return stack == null
                ? List.of()
                : stack.getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName())
                        .toList();
    }

    /** What is recorded. */
    private interface Work {
        void run() throws Exception;
    }

    /** Waits while its class is initialized, which native code does: once for each class loader. */
    static final class Pinning {
        static {
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }

        private Pinning() {}

        static Class<?> pin() throws ReflectiveOperationException {
            ClassLoader once = new ClassLoader(null) {
                @Override
                protected Class<?> findClass(String name) throws ClassNotFoundException {
                    try (InputStream file =
                            VirtualThreadsTest.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                        byte[] bytes = file.readAllBytes();
                        return defineClass(name, bytes, 0, bytes.length);
                    } catch (IOException e) {
                        throw new ClassNotFoundException(name, e);
                    }
                }
            };
            return Class.forName(Pinning.class.getName(), true, once);
        }
    }

    private static <T> CompletableFuture<T> onVirtualThread(BootApplication application, Callable<T> work) {
        AsyncTaskExecutor threads = application.context().getBean("applicationTaskExecutor", AsyncTaskExecutor.class);
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        assertThat(Thread.class.getMethod("isVirtual").invoke(Thread.currentThread())) // from JDK 21 on
                                .isEqualTo(true);
                        return work.call();
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads);
    }
}
