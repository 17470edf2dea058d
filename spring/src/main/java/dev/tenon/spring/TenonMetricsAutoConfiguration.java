package dev.tenon.spring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Counts for Micrometer. What methods with {@link Locked} wait for and do is observed where it happens. */
@AutoConfiguration(after = {LockedAutoConfiguration.class, IdsAutoConfiguration.class})
@ConditionalOnClass(MeterBinder.class)
final class TenonMetricsAutoConfiguration {
    /** There are locks. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(HeldLocks.class)
    static class OfLocks {
        @Bean
        MeterBinder tenonLockMeters(HeldLocks held) {
            return registry -> {
                Gauge.builder("tenon.locks.held", held, HeldLocks::count)
                        .description("Locks that this process holds")
                        .register(registry);
                FunctionCounter.builder("tenon.locks.granted", held, HeldLocks::granted)
                        .description("Locks that this process was granted")
                        .register(registry);
                FunctionCounter.builder("tenon.locks.lost", held, HeldLocks::lost)
                        .description("Locks that this process held and lost")
                        .register(registry);
            };
        }
    }

    @Bean
    MeterBinder tenonIdMeters(ObjectProvider<IdFactory> ids) {
        return registry -> ids.ifAvailable(factory -> {
            factory.definitions().entrySet().stream()
                    .filter(entry -> entry.getValue().kind().isNumber())
                    .map(Map.Entry::getKey)
                    .forEach(name -> FunctionCounter.builder(
                                    "tenon.ids.issued",
                                    factory,
                                    found -> found.issued().applyAsLong(name))
                            .tag("name", name)
                            .description("IDs that this process has issued")
                            .register(registry));
            if (factory.definitions().values().stream().anyMatch(IdDefinition::leasesWorkerId)) {
                FunctionCounter.builder("tenon.worker.ids.forgotten", factory, IdFactory::forgotten)
                        .description("Worker IDs of this process that the store had forgotten")
                        .register(registry);
            }
        });
    }
}
