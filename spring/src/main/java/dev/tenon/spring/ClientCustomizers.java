package dev.tenon.spring;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Customizers of the clients that Spring Boot makes, so that these take part in global transactions. Their types have
 * other names in Spring Boot 3 than in 4, and neither's have to be there: a bean is defined of each that is.
 */
final class ClientCustomizers {
    static final List<String> OF_REST = List.of(
            "org.springframework.boot.restclient.RestClientCustomizer",
            "org.springframework.boot.restclient.RestTemplateCustomizer",
            "org.springframework.boot.web.client.RestClientCustomizer",
            "org.springframework.boot.web.client.RestTemplateCustomizer");
    static final List<String> OF_WEB = List.of(
            "org.springframework.boot.webclient.WebClientCustomizer",
            "org.springframework.boot.web.reactive.function.client.WebClientCustomizer");

    private ClientCustomizers() {}

    /** Defines those of RestClient and RestTemplate. */
    static final class OfRest implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            OF_REST.forEach(type -> register(type, "ofRest", registry));
        }
    }

    /** Defines that of WebClient. */
    static final class OfWeb implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            OF_WEB.forEach(type -> register(type, "ofWeb", registry));
        }
    }

    private static void register(String name, String factoryMethod, BeanDefinitionRegistry registry) {
        ClassLoader loader = loader();
        if (ClassUtils.isPresent(name, loader)) {
            Class<?> type = ClassUtils.resolveClassName(name, loader);
            RootBeanDefinition bean = new RootBeanDefinition();
            bean.setTargetType(type);
            bean.setBeanClass(ClientCustomizers.class);
            bean.setFactoryMethodName(factoryMethod);
            bean.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            bean.getConstructorArgumentValues().addIndexedArgumentValue(0, type);
            registry.registerBeanDefinition("tenonGlobal" + type.getSimpleName(), bean);
        }
    }

    private static ClassLoader loader() {
        return Objects.requireNonNull(ClientCustomizers.class.getClassLoader());
    }

    /** A customizer of RestClient or RestTemplate. */
    static Object ofRest(Class<?> type, BeanFactory beans) {
        return customizer(
                type,
                client -> GlobalTransactionAutoConfiguration.RestClients.into(
                        client, beans.getBean(GlobalTransactionHttpInterceptor.class)));
    }

    /** A customizer of WebClient. */
    static Object ofWeb(Class<?> type, BeanFactory beans) {
        return customizer(
                type,
                client -> GlobalTransactionAutoConfiguration.WebClients.into(
                        client, beans.getBean(GlobalTransactionExchangeFilter.class)));
    }

    private static Object customizer(Class<?> type, Consumer<Object> customize) {
        return Proxy.newProxyInstance(loader(), new Class<?>[] {type}, new Customizing(customize));
    }

    /** What the proxy does. */
    private record Customizing(Consumer<Object> customize) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments) {
            return switch (method.getName()) {
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                case "toString" -> "Tenon";
                default -> {
                    customize.accept(Objects.requireNonNull(Objects.requireNonNull(arguments)[0]));
                    yield null;
                }
            };
        }
    }
}
