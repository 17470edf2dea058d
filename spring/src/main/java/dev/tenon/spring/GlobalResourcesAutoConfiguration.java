package dev.tenon.spring;

import dev.tenon.jdbc.GlobalDataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Participants;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.http.HttpParticipants;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.notify.WebhookSignature;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** What takes part in global transactions: the database of the application, and other services. */
@AutoConfiguration(after = TenonAutoConfiguration.class, before = TransactionModesAutoConfiguration.class)
@ConditionalOnClass(JdbcBackend.class)
@ConditionalOnBean(JdbcBackend.class)
final class GlobalResourcesAutoConfiguration {
    /** The name stands in logs. */
    private static final String ROWS = "tenonRows";

    private static final String UNDO = "tenon.transactions.automatic-undo";
    private static final String SECRET = "services";

    @Bean
    static GlobalScope tenonGlobalScope() {
        return new GlobalScope();
    }

    /** The application's own database takes part. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(UNDO)
    static class WithOwnRows {
        @Bean
        static Wrapping tenonGlobalDataSource(Environment environment, ObjectProvider<GlobalScope> scope) {
            return new Wrapping(environment.getRequiredProperty(UNDO), scope);
        }

        @Bean(ROWS)
        AtResource tenonRows(JdbcBackend jdbc, TenonProperties properties, BeanFactory beans, Environment environment) {
            String name = environment.getRequiredProperty(UNDO);
            String log = properties.jdbc().dataSource();
            if (properties.jdbc().url() != null || log != null && !log.equals(name)) {
                throw new TenonStartException(
                        UNDO + " is for the database that has the log, and that one is another (tenon.jdbc).",
                        "Leave it away, and give the application a GlobalDataSource and an AtResource as beans.");
            }
            try {
                return jdbc.autoUndo(beans.getBean(name, GlobalDataSource.class).plain());
            } catch (NoSuchBeanDefinitionException e) {
                throw new TenonStartException(
                        UNDO + " is \"" + name + "\", and there is no DataSource bean of that name.",
                        "Set it to the name of one; that of Spring Boot's own is dataSource.",
                        e);
            }
        }
    }

    /** Puts a {@link GlobalDataSource} in the place of a {@code DataSource}. */
    record Wrapping(String name, ObjectProvider<GlobalScope> scope) implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return beanName.equals(name) && bean instanceof DataSource source && !(bean instanceof GlobalDataSource)
                    ? new GlobalDataSource(source, ROWS, scope.getObject())
                    : bean;
        }
    }

    /** There are services in the configuration. */
    static final class Services implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("tenon.transactions.services", Bindable.mapOf(String.class, String.class))
                    .isBound();
        }
    }

    /** Other services take part; those of gRPC by a bean of the application. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(Services.class)
    static class WithServices {
        @Bean
        Participants tenonServices(TenonProperties properties) {
            TenonProperties.TransactionKeys keys = properties.transactions();
            List<String> addresses = keys.services().values().stream()
                    .filter(HttpTargets::isHttp)
                    .toList();
            if (addresses.isEmpty()) {
                return target -> Optional.empty();
            }
            Optional<WebhookSignature> signature = signature(keys);
            HttpTargets targets = HttpTargets.within(addresses);
            HttpParticipants all = HttpParticipants.create(TransactionOptions.DEFAULT.callTimeout());
            if (signature.isEmpty()) {
                return within(all.within(targets), addresses);
            }
            Map<String, String> signed = new TreeMap<>();
            addresses.forEach(address -> signed.put(address, SECRET));
            return within(
                    all.within(targets.signedWith(signed))
                            .signing(name -> name.equals(SECRET) ? signature : Optional.empty()),
                    addresses);
        }

        /** Other addresses are those of other participants. */
        private static Participants within(Participants services, List<String> addresses) {
            HttpTargets targets = HttpTargets.within(addresses);
            return target -> {
                if (!HttpTargets.isHttp(target)) {
                    return Optional.empty();
                }
                try {
                    targets.require(target);
                } catch (IllegalArgumentException e) {
                    return Optional.empty();
                }
                return services.find(target);
            };
        }
    }

    /** What services sign decisions with; empty if they don't. */
    static Optional<WebhookSignature> signature(TenonProperties.TransactionKeys keys) {
        if (keys.secrets().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(WebhookSignature.of(keys.secrets().toArray(String[]::new)));
        } catch (IllegalArgumentException e) {
            throw new TenonStartException(
                    "tenon.transactions.secrets isn't right: " + e.getMessage(),
                    "Make one with: echo whsec_$(openssl rand -base64 32)",
                    e);
        }
    }
}
