package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.tx.message.Outbox;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Health: whether the store answers, and how many transactions are stuck. */
@AutoConfiguration(after = TenonAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean({TenonBackend.class, HeldLocks.class})
@ConditionalOnEnabledHealthIndicator("tenon")
final class TenonHealthAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean(name = "tenonHealthIndicator")
    HealthIndicator tenonHealthIndicator(
            TenonBackend backend,
            HeldLocks held,
            ObjectProvider<StuckTransactions> transactions,
            ObjectProvider<Outbox> outbox) {
        StoreProbe probe = new StoreProbe(backend, held, transactions, outbox);
        return () -> {
            try {
                StoreProbe.Answer answer = probe.ask();
                return Health.status(answer.status())
                        .withDetails(answer.details())
                        .build();
            } catch (TenonException e) {
                return Health.down().withDetail("reason", probe.reason(e)).build();
            }
        };
    }
}
