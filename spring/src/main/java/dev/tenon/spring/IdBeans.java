package dev.tenon.spring;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.standard.UlidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/** Makes a bean of each name under {@code tenon.ids}. */
final class IdBeans implements ImportBeanDefinitionRegistrar {
    private final Environment environment;

    IdBeans(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Map<String, IdDefinition> definitions = Binder.get(environment)
                .bind("tenon.ids", Bindable.mapOf(String.class, IdDefinition.class))
                .orElse(Map.of());
        definitions.forEach((name, definition) -> {
            if (registry.containsBeanDefinition(name)) {
                throw new TenonStartException(
                        "tenon.ids." + name + " is to become a bean, and there is another bean of that name.",
                        "Give the IDs another name, such as " + name + "-ids.");
            }
            registry.registerBeanDefinition(name, bean(name, definition));
        });
    }

    private static RootBeanDefinition bean(String name, IdDefinition definition) {
        RootBeanDefinition bean = new RootBeanDefinition();
        bean.setFactoryBeanName("tenonIdFactory");
        bean.getConstructorArgumentValues().addIndexedArgumentValue(0, name);
        switch (definition.kind()) {
            case TEMPLATE -> {
                bean.setTargetType(TemplateGenerator.class);
                bean.setFactoryMethodName("template");
            }
            case UUID -> {
                bean.setTargetType(UuidGenerator.class);
                bean.setFactoryMethodName("uuid");
            }
            case ULID -> {
                bean.setTargetType(UlidGenerator.class);
                bean.setFactoryMethodName("ulid");
            }
            default -> {
                bean.setTargetType(IdGenerator.class);
                bean.setFactoryMethodName("numbers");
            }
        }
        return bean;
    }
}
