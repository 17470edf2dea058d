package dev.tenon.memory;

import dev.tenon.BackendUnavailableException;
import dev.tenon.ManualClock;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A log in memory on a clock that the test moves, and what was called in which order. */
final class ModesFixture implements AutoCloseable {
    static final Duration PATIENCE = Duration.ofSeconds(30);

    final ManualClock clock = new ManualClock(Instant.parse("2026-11-22T00:00:00Z"));
    final MemoryBackend backend = MemoryBackend.on(clock);
    final NamedParticipants named = new NamedParticipants();
    final List<String> calls = new CopyOnWriteArrayList<>();
    final Line line = new Line();
    final Transactions transactions;

    /** The way to the log. */
    static final class Line {
        private final AtomicBoolean cut = new AtomicBoolean();

        void cut() {
            cut.set(true);
        }

        void mend() {
            cut.set(false);
        }
    }

    ModesFixture() {
        this(target -> Optional.empty());
    }

    ModesFixture(Participants others) {
        transactions = over(named.or(others));
    }

    Transactions over(Participants participants) {
        return TransactionEngine.over(
                (TransactionStore) Proxy.newProxyInstance(
                        TransactionStore.class.getClassLoader(),
                        new Class<?>[] {TransactionStore.class},
                        (proxy, method, arguments) -> throughTheLine(method, arguments)),
                participants,
                TransactionOptions.DEFAULT.withService("shop").withTime(clock));
    }

    private @Nullable Object throughTheLine(Method method, Object[] arguments) throws ReflectiveOperationException {
        if (line.cut.get()) {
            throw new BackendUnavailableException("the line is cut", null);
        }
        return method.invoke(backend.transactions(), arguments);
    }

    /** Waits until it rests, with time passing and recovery at work. */
    TransactionRecord ended(TransactionId gid) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            TransactionRecord tx = transactions.await(gid, Duration.ofMillis(20));
            if (tx.state().isFinal() || tx.suspended().isPresent()) {
                return tx;
            }
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("It has not ended: " + tx);
            }
            if (tx.progress().owner().isEmpty()) {
                clock.advance(Duration.ofSeconds(10));
                transactions.runOnce();
            }
        }
    }

    /** Its state when it rests. */
    TransactionState end(TransactionId gid) throws InterruptedException {
        return ended(gid).state();
    }

    @Override
    public void close() {
        transactions.close();
        backend.close();
    }
}
