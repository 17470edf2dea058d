package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.spi.TransactionStore;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An application that ends while a pass of recovery asks its store. */
class ClosingTransactionsTest {
    private static final int PATIENCE_SECONDS = 30;

    private final MemoryBackend backend = MemoryBackend.create();
    private volatile @Nullable Thread asking;
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final Logger logger = Logger.getLogger(Transactions.class.getName());
    private final List<Throwable> told = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            // Not what other tests do meanwhile.
            if (line.getThrown() instanceof OutcomeUnknownException
                    && line.getThrown().getMessage().equals("closed?")) {
                told.add(line.getThrown());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void close() {
        logger.removeHandler(handler);
        backend.close();
    }

    /** As a client of a server does, whose call is interrupted. */
    private TransactionStore slow() {
        TransactionStore store = backend.transactions();
        return (TransactionStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {TransactionStore.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("claim")) {
                        asking = Thread.currentThread();
                        asked.countDown();
                        try {
                            assertThat(answered.await(PATIENCE_SECONDS, TimeUnit.SECONDS))
                                    .isTrue();
                        } catch (InterruptedException e) {
                            answered.countDown();
                            throw new OutcomeUnknownException("closed?", e);
                        }
                    }
                    return method.invoke(store, arguments);
                });
    }

    @Test
    void itsInterruptedPassIsNoFailureToTellOf() throws Exception {
        TransactionOptions options =
                TransactionOptions.DEFAULT.withService("shop").withPollEvery(Duration.ofMillis(10));
        Transactions transactions = TransactionEngine.over(slow(), target -> Optional.empty(), options)
                .start();
        assertThat(asked.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        Thread recovery = Objects.requireNonNull(asking);
        transactions.close();
        assertThat(answered.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        recovery.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        assertThat(recovery.isAlive()).isFalse();
        assertThat(told).isEmpty();
    }
}
