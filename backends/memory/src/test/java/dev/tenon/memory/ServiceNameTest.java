package dev.tenon.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.ManualClock;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.engine.UnnamedTransactions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Whose transactions are driven: a service has a name, and what was begun without one is not left behind. */
class ServiceNameTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final TransactionId OLD = new TransactionId("old");

    private final ManualClock clock = new ManualClock(Instant.parse("2030-01-01T00:00:00Z"));
    private final TransactionOptions options = TransactionOptions.DEFAULT.withTime(clock);

    @Test
    void aServiceHasToBeNamed() {
        try (MemoryBackend backend = MemoryBackend.on(clock)) {
            assertThatThrownBy(() -> TransactionEngine.over(backend.transactions(), new NamedParticipants(), options))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("withService(\"orders\")");
        }
    }

    @Test
    void whatWasBegunWithoutANameIsDrivenBesideTheOthers() throws InterruptedException {
        try (MemoryBackend backend = MemoryBackend.on(clock)) {
            NamedParticipants closed = new NamedParticipants();
            try (Transactions before = UnnamedTransactions.over(backend.transactions(), closed, options)) {
                Sagas.over(before, closed)
                        .register(Saga.named("order", 1)
                                .step("pay", call -> Reply.notYet("closed"))
                                .build())
                        .start("order", OLD, "{}");
            }
            NamedParticipants open = new NamedParticipants().register("saga:order/1/pay", call -> Reply.done());
            clock.advance(Duration.ofSeconds(20)); // its claim, and the pause before its next attempt
            try (Transactions shop = TransactionEngine.over(backend.transactions(), open, options.withService("shop"));
                    Transactions old = UnnamedTransactions.over(backend.transactions(), open, options)) {
                assertThat(shop.runOnce()).isZero();
                assertThat(old.runOnce()).isEqualTo(1);
                assertThat(old.await(OLD, PATIENCE).state()).isEqualTo(TransactionState.COMMITTED);
            }
        }
    }
}
