package dev.tenon.spring;

import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import io.micrometer.observation.ObservationRegistry;
import java.lang.annotation.Annotation;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.aop.Advice;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.util.function.SingletonSupplier;

/** Methods with {@link Locked} and {@link LeaderOnly}. */
@AutoConfiguration(after = TenonAutoConfiguration.class)
@ConditionalOnBean(Locks.class)
@Import(LockedAutoConfiguration.ProxyCreator.class)
final class LockedAutoConfiguration {
    /** Round a transaction, whose order is the lowest, so that no connection is held while waiting for a lock. */
    private static final int LOCK_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    private static final int LEADER_ORDER = LOCK_ORDER - 100;

    /** Makes sure that there is somebody who makes proxies. */
    static final class ProxyCreator implements ImportBeanDefinitionRegistrar {
        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }

    @Bean
    LeaseScope tenonLeaseScope() {
        return new LeaseScope();
    }

    @Bean
    CurrentLease tenonCurrentLease(LeaseScope scope) {
        return new CurrentLease(scope);
    }

    @Bean
    LockedMethods tenonLockedMethods(Environment environment, BeanFactory beans, TenonProperties properties) {
        return new LockedMethods(environment, beans, properties.locks().waitAtMost());
    }

    @Bean
    Leaders tenonLeaders(Locks locks, TenonProperties properties, Environment environment) {
        String application = environment.getProperty("spring.application.name", "application");
        LockOptions options = LockOptions.DEFAULT.withLease(properties.locks().lease());
        return new Leaders(
                locks,
                options,
                application + "/" + ManagementFactory.getRuntimeMXBean().getName());
    }

    @Bean
    static InterceptedMethods tenonInterceptedMethods(ObjectProvider<LockedMethods> methods, BeanFactory beans) {
        return new InterceptedMethods(methods, beans);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor tenonLockedAdvisor(ObjectProvider<LockedInterceptor.Parts> parts) {
        Supplier<LockedInterceptor.Parts> once = SingletonSupplier.of(parts::getObject);
        return advisor(Locked.class, new LockedInterceptor(once), LOCK_ORDER);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static DefaultPointcutAdvisor tenonLeaderAdvisor(
            ObjectProvider<Leaders> leaders, ObjectProvider<LeaseScope> scope, Environment environment) {
        return advisor(
                LeaderOnly.class,
                new LeaderInterceptor(
                        SingletonSupplier.of(leaders::getObject), SingletonSupplier.of(scope::getObject), environment),
                LEADER_ORDER);
    }

    @Bean
    LockedInterceptor.Parts tenonLockedParts(
            Locks locks,
            TenonProperties properties,
            LockedMethods methods,
            LeaseScope scope,
            Surroundings surroundings) {
        TenonProperties.LockDefaults given = properties.locks();
        LockOptions options = LockOptions.DEFAULT.withLease(given.lease());
        LockOptions held = Optional.ofNullable(given.maximumHold())
                .map(options::withMaximumHold)
                .orElse(options);
        return new LockedInterceptor.Parts(
                name -> locks.lock(name, held), methods, scope, surroundings.end(), surroundings.observations());
    }

    /** What the application may have. */
    record Surroundings(LeaseEnd end, ObservationRegistry observations) {}

    @Bean
    Surroundings tenonSurroundings(ObjectProvider<LeaseEnd> end, ObjectProvider<ObservationRegistry> observations) {
        return new Surroundings(
                end.getIfAvailable(() -> LeaseEnd.WITH_THE_METHOD),
                observations.getIfAvailable(() -> ObservationRegistry.NOOP));
    }

    private static DefaultPointcutAdvisor advisor(Class<? extends Annotation> annotation, Advice advice, int order) {
        DefaultPointcutAdvisor advisor =
                new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, annotation, true), advice);
        advisor.setOrder(order);
        return advisor;
    }

    /** Spring's transactions are there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionExecutionListener.class)
    static class WithTransactions {
        @Bean
        LeaseEnd tenonTransactionLeaseEnd() {
            return new TransactionLeaseEnd();
        }

        @Bean
        static TransactionLeaseEnd.Guard tenonCommitGuard(ObjectProvider<LeaseScope> scope) {
            return new TransactionLeaseEnd.Guard(SingletonSupplier.of(scope::getObject));
        }
    }
}
