package dev.tenon.examples.transactions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.spi.LocalTransactionStore;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How often the log is called on the happy path; the pages of the modes have these numbers. */
class TransactionCostTest {
    private static final TransactionId GID = new TransactionId("cost-1");

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final NamedParticipants participants = new NamedParticipants();
    private ShopDatabase shop;
    private Transactions transactions;

    @BeforeEach
    void open() {
        shop = ShopDatabase.inMemory(UUID.randomUUID().toString());
        LocalTransactionStore store = shop.tenon().transactions();
        LocalTransactionStore counted = (LocalTransactionStore) Proxy.newProxyInstance(
                LocalTransactionStore.class.getClassLoader(),
                new Class<?>[] {LocalTransactionStore.class},
                (proxy, method, arguments) -> {
                    boolean callers = arguments != null && arguments.length > 0 && arguments[0] instanceof Connection;
                    asked.add(method.getName() + (callers ? " in the local transaction" : ""));
                    return method.invoke(store, arguments);
                });
        // No recovery: only what the happy path itself asks is counted.
        transactions = TransactionEngine.over(counted, participants, TransactionOptions.DEFAULT.withService("shop"));
    }

    @AfterEach
    void close() {
        transactions.close();
        shop.close();
    }

    private void assertCommitted() throws InterruptedException {
        List<String> before = List.copyOf(asked);
        // The one who waits asks too, which does not belong to the price.
        assertThat(transactions.await(GID, Duration.ofSeconds(30)).state()).isEqualTo(TransactionState.COMMITTED);
        assertThat(asked).startsWith(before.toArray(String[]::new));
    }

    private List<String> writes() {
        return asked.stream()
                .filter(call -> call.startsWith("begin") || call.startsWith("update"))
                .toList();
    }

    @Test
    void aSagaOfThreeStepsIsOneWriteAndOneMoreForEachStep() throws Exception {
        Sagas.over(transactions, participants)
                .register(Saga.named("three", 1)
                        .step("one", call -> Reply.done())
                        .step("two", call -> Reply.done())
                        .step("three", call -> Reply.done())
                        .build())
                .start("three", GID, "{}");

        assertCommitted();

        assertThat(writes()).containsExactly("begin", "update", "update", "update");
    }

    @Test
    void aSagaOfThreeStepsAtTheSameTimeIsTwoWrites() throws Exception {
        Sagas.over(transactions, participants)
                .register(Saga.named("three", 1)
                        .step("one", call -> Reply.done())
                        .step("two", call -> Reply.done())
                        .after()
                        .step("three", call -> Reply.done())
                        .after()
                        .build())
                .start("three", GID, "{}");

        assertCommitted();

        assertThat(writes()).containsExactly("begin", "update");
    }

    @Test
    void tccIsOneWriteBeforeTheTriesAndTheDecisionIsInTheBusinessCommit() throws Exception {
        try (Tcc tcc = Tcc.over(transactions, participants)) {
            TccParticipant yes = TccParticipant.of(call -> Reply.done(), call -> Reply.done(), call -> Reply.done());
            tcc.register("coupon", 1, yes).register("balance", 1, yes);
            try (TccTransaction tx = tcc.begin(GID, TccBranch.of("coupon", ""), TccBranch.of("balance", ""));
                    Connection connection = shop.begin()) {
                assertThat(asked).containsExactly("begin");
                tx.commit(connection);
                connection.commit();
            }
            assertThat(asked).startsWith("begin", "update in the local transaction");

            assertCommitted();

            // Then: who drives it, and that it is about to confirm; that both are confirmed.
            assertThat(writes()).containsExactly("begin", "update in the local transaction", "update", "update");
        }
    }
}
