package dev.tenon.spring;

import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** The endpoint of the actuator. */
@AutoConfiguration(after = {LockedAutoConfiguration.class, IdsAutoConfiguration.class})
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnAvailableEndpoint(TenonEndpoint.class)
final class TenonEndpointAutoConfiguration {
    @Bean
    TenonEndpoint tenonEndpoint(
            ObjectProvider<TenonBackend> backend,
            ObjectProvider<HeldLocks> held,
            ObjectProvider<Leaders> leaders,
            IdFactory ids) {
        return new TenonEndpoint(
                new TenonEndpoint.Subjects(
                        Optional.ofNullable(backend.getIfAvailable()),
                        Optional.ofNullable(held.getIfAvailable()),
                        Optional.ofNullable(leaders.getIfAvailable())),
                ids);
    }
}
