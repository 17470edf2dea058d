package dev.tenon.spring;

import dev.tenon.id.IdGenerator;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;

/** Generators by the names of their beans, for frameworks that know names. Thread-safe. */
record NamedIds(BeanFactory beans) implements Function<String, IdGenerator> {
    @Override
    public IdGenerator apply(String name) {
        try {
            return beans.getBean(name, IdGenerator.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new TenonStartException(
                    "@TenonId(\"" + name + "\") asks for numbers of that name, and there are none: " + e.getMessage(),
                    "Set tenon.ids." + name + ".kind to snowflake, segment, shuffled or sequence.",
                    e);
        }
    }
}
