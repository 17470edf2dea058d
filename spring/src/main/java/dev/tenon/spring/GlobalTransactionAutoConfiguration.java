package dev.tenon.spring;

import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.http.CallSignature;
import dev.tenon.tx.tcc.Tcc;
import jakarta.servlet.Filter;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.ComposablePointcut;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;
import org.springframework.web.filter.OncePerRequestFilter;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.reactive.function.client.support.WebClientHttpServiceGroupConfigurer;

/** Methods with {@link GlobalTransaction}, and how other services hear of them. */
@AutoConfiguration(after = TransactionsAutoConfiguration.class)
final class GlobalTransactionAutoConfiguration {
    /** Round a local transaction, whose order is the lowest, and inside of a lock. */
    private static final int ORDER = Ordered.LOWEST_PRECEDENCE - 50;

    @Bean
    static GlobalMethods tenonGlobalMethods(ListableBeanFactory beans, Environment environment) {
        return new GlobalMethods(beans, environment);
    }

    /** There is a log, and something that can take part. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    @Import(LockedAutoConfiguration.ProxyCreator.class)
    static class WithTransactions {
        @Bean
        @ConditionalOnMissingBean
        GlobalTransactions tenonGlobalTransactions(
                Transactions transactions,
                GlobalScope scope,
                Tcc tcc,
                Map<String, AtResource> databases,
                TenonProperties properties) {
            try {
                return GlobalTransactions.over(
                        transactions,
                        scope,
                        tcc,
                        databases,
                        properties.transactions().services());
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "tenon.transactions.services isn't right: " + e.getMessage(),
                        "Each has a name and an address, such as stock: http://stock:8080",
                        e);
            }
        }

        @Bean
        GlobalTransactionInterceptor.Parts tenonGlobalParts(
                GlobalTransactions transactions, Environment environment, TenonProperties properties) {
            return new GlobalTransactionInterceptor.Parts(
                    transactions, environment, properties.transactions().timeout(), inLocalTransaction());
        }

        private static BooleanSupplier inLocalTransaction() {
            return ClassUtils.isPresent(
                            "org.springframework.transaction.support.TransactionSynchronizationManager",
                            GlobalTransactionAutoConfiguration.class.getClassLoader())
                    ? Local::isActive
                    : () -> false;
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor tenonGlobalAdvisor(ObjectProvider<GlobalTransactionInterceptor.Parts> parts) {
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
                    new ComposablePointcut((org.springframework.aop.Pointcut)
                                    new AnnotationMatchingPointcut(GlobalTransaction.class, true))
                            .union((org.springframework.aop.Pointcut)
                                    new AnnotationMatchingPointcut(null, GlobalTransaction.class, true)),
                    new GlobalTransactionInterceptor(SingletonSupplier.of(parts::getObject)));
            advisor.setOrder(ORDER);
            return advisor;
        }
    }

    /** Asked only where Spring's transactions are there. */
    private static final class Local {
        static boolean isActive() {
            return TransactionSynchronizationManager.isActualTransactionActive();
        }
    }

    /** Others may call this service within their transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Filter.class, OncePerRequestFilter.class})
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    @ConditionalOnProperty("tenon.transactions.join")
    static class WithServlets {
        @Bean
        GlobalTransactionFilter tenonGlobalTransactionFilter(
                ObjectProvider<GlobalTransactions> transactions, TenonProperties properties) {
            @Nullable
            CallSignature signature = GlobalResourcesAutoConfiguration.signature(properties.transactions())
                    .map(CallSignature::of)
                    .orElse(null);
            return new GlobalTransactionFilter(SingletonSupplier.of(transactions::getObject), signature);
        }
    }

    /** Others may not, and are told so. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Filter.class, OncePerRequestFilter.class})
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    @ConditionalOnProperty(name = "tenon.transactions.join", havingValue = "false", matchIfMissing = true)
    static class WithServletsAlone {
        @Bean
        GlobalTransactionRefusal tenonGlobalTransactionRefusal() {
            return new GlobalTransactionRefusal();
        }
    }

    /** This service may call others within its transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ClientHttpRequestInterceptor.class)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    @Import(ClientCustomizers.OfRest.class)
    static class WithRestClients {
        @Bean
        GlobalTransactionHttpInterceptor tenonGlobalHttpInterceptor(ObjectProvider<GlobalTransactions> transactions) {
            return new GlobalTransactionHttpInterceptor(SingletonSupplier.of(transactions::getObject));
        }

        @Bean
        static RestClients tenonGlobalRestClients(ObjectProvider<GlobalTransactionHttpInterceptor> interceptor) {
            return new RestClients(SingletonSupplier.of(interceptor::getObject));
        }
    }

    /** As of Spring 7: interfaces that are clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientHttpServiceGroupConfigurer.class)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    static class WithRestInterfaces {
        @Bean
        RestClientHttpServiceGroupConfigurer tenonGlobalRestInterfaces(
                ObjectProvider<GlobalTransactionHttpInterceptor> interceptor) {
            return groups ->
                    groups.forEachClient((group, builder) -> RestClients.into(builder, interceptor.getObject()));
        }
    }

    /** Puts the interceptor into clients that are beans, once. */
    record RestClients(Supplier<GlobalTransactionHttpInterceptor> interceptor) implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof RestClient client
                    && isNamed(client, "org.springframework.web.client.DefaultRestClient")) {
                RestClient.Builder builder = client.mutate();
                into(builder, interceptor.get());
                return builder.build();
            }
            if (bean instanceof RestClient.Builder || bean instanceof RestTemplate) {
                into(bean, interceptor.get());
            }
            return bean;
        }

        /** Nothing is done with what is no such client. */
        static void into(Object client, GlobalTransactionHttpInterceptor interceptor) {
            if (client instanceof RestClient.Builder builder) {
                builder.requestInterceptors(all -> addOnce(all, interceptor));
            } else if (client instanceof RestTemplate template) {
                addOnce(template.getInterceptors(), interceptor);
            }
        }
    }

    /** As with RestClient, with WebClient. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ExchangeFilterFunction.class)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    @Import(ClientCustomizers.OfWeb.class)
    static class WithWebClients {
        @Bean
        GlobalTransactionExchangeFilter tenonGlobalExchangeFilter(ObjectProvider<GlobalTransactions> transactions) {
            return new GlobalTransactionExchangeFilter(SingletonSupplier.of(transactions::getObject));
        }

        @Bean
        static WebClients tenonGlobalWebClients(ObjectProvider<GlobalTransactionExchangeFilter> filter) {
            return new WebClients(SingletonSupplier.of(filter::getObject));
        }
    }

    /** As of Spring 7: interfaces that are clients. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClientHttpServiceGroupConfigurer.class)
    @ConditionalOnBean({Transactions.class, GlobalScope.class, Tcc.class})
    static class WithWebInterfaces {
        @Bean
        WebClientHttpServiceGroupConfigurer tenonGlobalWebInterfaces(
                ObjectProvider<GlobalTransactionExchangeFilter> filter) {
            return groups -> groups.forEachClient((group, builder) -> WebClients.into(builder, filter.getObject()));
        }
    }

    /** Puts the filter into clients that are beans, once. */
    record WebClients(Supplier<GlobalTransactionExchangeFilter> filter) implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof WebClient client
                    && isNamed(client, "org.springframework.web.reactive.function.client.DefaultWebClient")) {
                WebClient.Builder builder = client.mutate();
                into(builder, filter.get());
                return builder.build();
            }
            if (bean instanceof WebClient.Builder) {
                into(bean, filter.get());
            }
            return bean;
        }

        /** Nothing is done with what is no such client. */
        static void into(Object client, GlobalTransactionExchangeFilter filter) {
            if (client instanceof WebClient.Builder builder) {
                builder.filters(all -> addOnce(all, filter));
            }
        }
    }

    /** What an application has made by itself may do as it likes. */
    private static boolean isNamed(Object client, String type) {
        return client.getClass().getName().equals(type);
    }

    /** A call with two of them would be two branches, of which the first is never answered. */
    private static <T> void addOnce(List<? super T> all, T one) {
        if (all.stream().noneMatch(there -> there.getClass() == one.getClass())) {
            all.add(one);
        }
    }
}
