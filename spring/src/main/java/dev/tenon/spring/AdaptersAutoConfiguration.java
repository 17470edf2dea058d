package dev.tenon.spring;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import dev.tenon.id.IdGenerator;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.mybatis.TenonIdInterceptor;
import dev.tenon.mybatis.TenonIdentifierGenerator;
import dev.tenon.shedlock.TenonLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import org.apache.ibatis.plugin.Interceptor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.orm.jpa.AbstractEntityManagerFactoryBean;

/** For each tool that the application has, what it needs to use Tenon's IDs and locks. */
@AutoConfiguration(after = {TenonAutoConfiguration.class, IdsAutoConfiguration.class})
final class AdaptersAutoConfiguration {
    /** Hibernate, through JPA. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({AbstractEntityManagerFactoryBean.class, dev.tenon.hibernate.TenonId.class})
    static class WithHibernate {
        @Bean
        static BeanPostProcessor tenonHibernateIds(BeanFactory beans) {
            return new HibernateIds(new NamedIds(beans));
        }
    }

    /** Spring Data JDBC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(BeforeConvertCallback.class)
    static class WithSpringData {
        @Bean
        BeforeConvertCallback<?> tenonSpringDataIds(
                BeanFactory beans, ObjectProvider<RelationalMappingContext> mapping) {
            return new SpringDataIds(mapping::getObject, new NamedIds(beans));
        }
    }

    /** MyBatis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Interceptor.class, TenonIdInterceptor.class})
    static class WithMyBatis {
        @Bean
        @ConditionalOnMissingBean
        TenonIdInterceptor tenonMyBatisIds(BeanFactory beans) {
            return TenonIdInterceptor.of(new NamedIds(beans));
        }
    }

    /** MyBatis-Plus. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({IdentifierGenerator.class, TenonIdentifierGenerator.class})
    @ConditionalOnBean(IdGenerator.class)
    static class WithMyBatisPlus {
        @Bean
        @ConditionalOnMissingBean(IdentifierGenerator.class)
        TenonIdentifierGenerator tenonMyBatisPlusIds(BeanFactory beans, ObjectProvider<IdGenerator> ids) {
            return TenonIdentifierGenerator.byName(new NamedIds(beans), ids.getIfUnique());
        }
    }

    /** ShedLock. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({LockProvider.class, TenonLockProvider.class})
    @ConditionalOnBean(LockStore.class)
    static class WithShedLock {
        @Bean
        @ConditionalOnMissingBean(LockProvider.class)
        TenonLockProvider tenonLockProvider(LockStore store) {
            return TenonLockProvider.over(store);
        }
    }

    /** Spring Integration. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(LockRegistry.class)
    @ConditionalOnBean(Locks.class)
    static class WithSpringIntegration {
        @Bean
        @ConditionalOnMissingBean(LockRegistry.class)
        TenonLockRegistry tenonLockRegistry(Locks locks) {
            return new TenonLockRegistry(locks);
        }
    }
}
