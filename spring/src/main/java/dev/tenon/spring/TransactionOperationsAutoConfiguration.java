package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.spi.OutboxLane;
import dev.tenon.tx.spi.OutboxOperations;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What operators see of transactions: an endpoint and meters. */
@AutoConfiguration(after = TransactionsAutoConfiguration.class)
@ConditionalOnClass(Transactions.class)
final class TransactionOperationsAutoConfiguration {
    /** What is stuck, for health and meters. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(Transactions.class)
    static class WithTransactions {
        @Bean
        StuckTransactions tenonStuckTransactions(Transactions transactions, TenonProperties properties) {
            return new LoggedStuckTransactions(
                    transactions, properties.transactions().healthWhenStuck());
        }
    }

    /** The endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @ConditionalOnBean(Transactions.class)
    static class WithEndpoint {
        @Bean
        @ConditionalOnAvailableEndpoint(TransactionsEndpoint.class)
        TransactionsEndpoint tenonTransactionsEndpoint(Transactions transactions) {
            return new TransactionsEndpoint(transactions);
        }
    }

    /** Counts of transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(Transactions.class)
    static class WithMeters {
        @Bean
        MeterBinder tenonTransactionMeters(Transactions transactions) {
            return registry -> transactions.tell(tx -> Counter.builder("tenon.transactions")
                    .description("Transactions that this process has driven to an end, or until an operator is needed")
                    .tag("kind", tx.kind().name().toLowerCase(Locale.ROOT))
                    .tag(
                            "state",
                            tx.suspended().isPresent() && !tx.state().isFinal()
                                    ? "suspended"
                                    : tx.state().name().toLowerCase(Locale.ROOT))
                    .register(registry)
                    .increment());
        }

        @Bean
        MeterBinder tenonStuckTransactionMeters(StuckTransactions stuck) {
            return registry -> {
                Gauge.builder("tenon.transactions.stuck", stuck, s -> counted(s, StuckTransactions.Found::stuck))
                        .description(
                                "Transactions that are suspended or reported as stuck, up to 1000; asks the database")
                        .register(registry);
                Gauge.builder(
                                "tenon.transactions.suspended",
                                stuck,
                                s -> counted(s, StuckTransactions.Found::suspended))
                        .description("Of these, those that wait for an operator; asks the database")
                        .register(registry);
            };
        }

        private static double counted(StuckTransactions stuck, ToLongFunction<StuckTransactions.Found> part) {
            try {
                return part.applyAsLong(stuck.look());
            } catch (TenonException e) {
                return Double.NaN; // the database is away
            }
        }
    }

    /** The endpoint of the outbox. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @ConditionalOnSingleCandidate(Outbox.class)
    static class WithOutboxEndpoint {
        @Bean
        @ConditionalOnAvailableEndpoint(OutboxEndpoint.class)
        OutboxEndpoint tenonOutboxEndpoint(Outbox outbox) {
            return new OutboxEndpoint(outbox);
        }
    }

    /** How far the outbox is behind. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    @ConditionalOnBean(Outbox.class)
    static class WithOutboxMeter {
        @Bean
        MeterBinder tenonOutboxMeter(Outbox outbox) {
            return registry -> {
                TimeGauge.builder("tenon.outbox.lag", outbox, TimeUnit.MILLISECONDS, WithOutboxMeter::lag)
                        .description("For how long the oldest message has been due; asks the database")
                        .register(registry);
                Gauge.builder(
                                "tenon.outbox.dead.letters",
                                outbox,
                                open -> open.summary().deadLetters())
                        .description("Dead letters, up to 1000; asks the database")
                        .register(registry);
                Gauge.builder("tenon.outbox.lanes.failing", outbox, WithOutboxMeter::failing)
                        .description("Targets, or keys of a target, whose first message has failed, up to 100;"
                                + " asks the database")
                        .register(registry);
            };
        }

        private static double failing(Outbox outbox) {
            return outbox.lanes(OutboxOperations.PAGE_MAX).stream()
                    .filter(OutboxLane::isFailing)
                    .count();
        }

        private static double lag(Outbox outbox) {
            return outbox.lag().orElse(Duration.ZERO).toMillis();
        }
    }
}
