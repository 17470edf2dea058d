package dev.tenon.spring;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Participants;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.notify.HttpNotifier;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.notify.WebhookSignature;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import dev.tenon.tx.xa.XaDatabases;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;

/**
 * XA, automatic undo and notifications, with their log in the database of the application. Which databases take part is
 * the application's choice: it has a bean for each.
 */
@AutoConfiguration(after = TenonAutoConfiguration.class, before = TransactionsAutoConfiguration.class)
@ConditionalOnClass({JdbcBackend.class, Transactions.class})
@ConditionalOnBean(JdbcBackend.class)
final class TransactionModesAutoConfiguration {
    private static final String PARSER = "net.sf.jsqlparser.parser.CCJSqlParserUtil";

    /** Every bean that is a database for XA takes part under its name. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(XaDatabase.class)
    static class WithXa {
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        XaDatabases tenonXaDatabases(Map<String, XaDatabase> databases) {
            try {
                return XaDatabases.of(databases);
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "The name of a bean of type XaDatabase can't be the name of a database: " + e.getMessage(),
                        "Give the bean another name, such as \"savings\".",
                        e);
            }
        }

        @Bean(initMethod = "start", destroyMethod = "close")
        @ConditionalOnMissingBean
        Xa tenonXa(Transactions transactions, XaDatabases databases) {
            try {
                return Xa.over(transactions, databases);
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "The name of this application can't begin the names of its XA branches: " + e.getMessage(),
                        "Set spring.application.name to 1 to 27 letters, digits and . _ - that no other application on"
                                + " these database servers has.",
                        e);
            }
        }
    }

    /** Every bean that is a database with automatic undo takes part under its name. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(AtResource.class)
    static class WithAutomaticUndo {
        @Bean
        Participants tenonAutomaticUndo(Map<String, AtResource> databases, ResourceLoader resources) {
            if (!ClassUtils.isPresent(PARSER, resources.getClassLoader())) {
                throw new TenonStartException(
                        "Automatic undo reads SQL with JSqlParser, which is not on the class path.",
                        "Add the dependency com.github.jsqlparser:jsqlparser.");
            }
            return AtTransactions.participants(databases);
        }

        @Bean
        @ConditionalOnMissingBean
        AtTransactions tenonAtTransactions(Transactions transactions, Map<String, AtResource> databases) {
            return AtTransactions.over(transactions, databases);
        }
    }

    /** There is something to sign notifications with. */
    static final class Signed extends AnyNestedCondition {
        Signed() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(WebhookSignature.class)
        static final class ByBean {}

        @Conditional(Secrets.class)
        static final class ByKey {}
    }

    /** There are secrets in the configuration. */
    static final class Secrets implements Condition {
        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return Binder.get(context.getEnvironment())
                    .bind("tenon.notifications.secrets", Bindable.listOf(String.class))
                    .isBound();
        }
    }

    /** Signed notifications. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(Signed.class)
    static class WithNotifications {
        @Bean
        @ConditionalOnMissingBean
        HttpNotifier tenonNotifier(TenonProperties properties, ObjectProvider<WebhookSignature> own) {
            return HttpNotifier.signing(own.getIfAvailable(
                    () -> signature(properties.notifications().secrets())));
        }

        private static WebhookSignature signature(List<String> secrets) {
            try {
                return WebhookSignature.of(secrets.toArray(String[]::new));
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "tenon.notifications.secrets isn't right: " + e.getMessage(),
                        "Make one with: echo whsec_$(openssl rand -base64 32)",
                        e);
            }
        }

        @Bean
        @ConditionalOnMissingBean
        Notifications tenonNotifications(Transactions transactions) {
            return Notifications.over(transactions);
        }
    }
}
