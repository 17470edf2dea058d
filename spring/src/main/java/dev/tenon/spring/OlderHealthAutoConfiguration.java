package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.tx.message.Outbox;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Health for Spring Boot 3, whose types have other names; this code is compiled where they don't exist. In place of
 * {@link TenonHealthAutoConfiguration}.
 */
@AutoConfiguration(after = TenonAutoConfiguration.class)
@ConditionalOnClass(name = OlderHealthAutoConfiguration.INDICATOR)
@ConditionalOnBean({TenonBackend.class, HeldLocks.class})
@ConditionalOnMissingBean(name = OlderHealthAutoConfiguration.BEAN)
@ConditionalOnProperty(name = "management.health.tenon.enabled", matchIfMissing = true)
@Import(OlderHealthAutoConfiguration.Registrar.class)
final class OlderHealthAutoConfiguration {
    static final String BEAN = "tenonHealthIndicator";
    static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";
    private static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    /** Defines the bean, whose type can't be written down. */
    static final class Registrar implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            ClassLoader loader = Objects.requireNonNull(OlderHealthAutoConfiguration.class.getClassLoader());
            RootBeanDefinition bean = new RootBeanDefinition();
            bean.setTargetType(ClassUtils.resolveClassName(INDICATOR, loader));
            bean.setBeanClass(OlderHealthAutoConfiguration.class);
            bean.setFactoryMethodName("indicator");
            bean.setAutowireMode(RootBeanDefinition.AUTOWIRE_CONSTRUCTOR);
            registry.registerBeanDefinition(BEAN, bean);
        }
    }

    /** An indicator of Spring Boot 3. */
    static Object indicator(BeanFactory beans) {
        ClassLoader loader = Objects.requireNonNull(OlderHealthAutoConfiguration.class.getClassLoader());
        Class<?> type = ClassUtils.resolveClassName(INDICATOR, loader);
        StoreProbe probe = new StoreProbe(
                beans.getBean(TenonBackend.class),
                beans.getBean(HeldLocks.class),
                beans.getBeanProvider(StuckTransactions.class),
                beans.getBeanProvider(Outbox.class));
        return Proxy.newProxyInstance(loader, new Class<?>[] {type}, new Answers(probe, loader));
    }

    /** What the proxy answers. */
    private record Answers(StoreProbe probe, ClassLoader loader) implements InvocationHandler {
        @Override
        public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] arguments)
                throws Throwable {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments == null ? new Object[0] : arguments);
            }
            return switch (method.getName()) {
                case "health" -> health();
                case "equals" -> arguments != null && proxy == arguments[0];
                case "hashCode" -> System.identityHashCode(proxy);
                default -> "Tenon";
            };
        }

        private Object health() throws ReflectiveOperationException {
            try {
                StoreProbe.Answer answer = probe.ask();
                return built(answer.status(), answer.details());
            } catch (TenonException e) {
                return built("DOWN", Map.of("reason", probe.reason(e)));
            }
        }

        private Object built(String status, Map<String, Object> details) throws ReflectiveOperationException {
            try {
                Object builder = ClassUtils.resolveClassName(HEALTH, loader)
                        .getMethod("status", String.class)
                        .invoke(null, status);
                Class<?> type = builder.getClass();
                type.getMethod("withDetails", Map.class).invoke(builder, details);
                return type.getMethod("build").invoke(builder);
            } catch (InvocationTargetException e) {
                throw new IllegalStateException(e.getCause());
            }
        }
    }
}
