package dev.tenon.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** Generators of IDs, each a bean of its name, from {@code tenon.ids}. */
@AutoConfiguration(after = TenonAutoConfiguration.class)
@Import(IdBeans.class)
final class IdsAutoConfiguration {
    @Bean
    IdFactory tenonIdFactory(TenonProperties properties, ObjectProvider<TenonBackend> backend) {
        return new IdFactory(properties.ids(), backend::getIfAvailable);
    }
}
