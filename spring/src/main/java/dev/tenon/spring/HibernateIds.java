package dev.tenon.spring;

import dev.tenon.hibernate.TenonId;
import dev.tenon.id.IdGenerator;
import java.util.function.Function;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** Tells each {@code EntityManagerFactory}, before it is made, where its identifiers come from. */
final class HibernateIds implements BeanPostProcessor {
    private final Function<String, IdGenerator> named;

    HibernateIds(Function<String, IdGenerator> named) {
        this.named = named;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String name) {
        if (bean instanceof AbstractEntityManagerFactoryBean factory) {
            factory.getJpaPropertyMap().putIfAbsent(TenonId.GENERATORS, named);
        }
        return bean;
    }
}
