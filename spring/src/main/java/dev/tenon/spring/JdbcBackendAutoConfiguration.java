package dev.tenon.spring;

import dev.tenon.jdbc.DatabaseUrl;
import dev.tenon.jdbc.GlobalDataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.jdbc.JdbcOptions;
import dev.tenon.lock.spi.LockStore;
import java.util.Objects;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.util.ClassUtils;

/** A database: the {@code DataSource} of the application, or one of its own. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration"
        })
@ConditionalOnClass(JdbcBackend.class)
@ConditionalOnBackend(BackendKind.JDBC)
@ConditionalOnMissingBean(TenonBackend.class)
@EnableConfigurationProperties(TenonProperties.class)
final class JdbcBackendAutoConfiguration {
    private static final String OF_APPLICATION = "the DataSource of the application";
    private static final String FORM = "jdbc:postgresql://host/database, jdbc:mariadb://host/database or jdbc:h2:…";

    @Bean
    @ConditionalOnMissingBean
    JdbcBackend tenonJdbcBackend(TenonProperties properties, ObjectProvider<DataSource> sources, BeanFactory beans) {
        TenonProperties.Jdbc jdbc = properties.jdbc();
        JdbcOptions options =
                JdbcOptions.DEFAULT.withCreateTables(jdbc.createTables()).withConnections(jdbc.connections());
        String url = jdbc.url();
        if (url != null) {
            Supplier<JdbcBackend> own = () -> JdbcBackend.connect(
                    url,
                    Objects.requireNonNullElse(jdbc.user(), ""),
                    Objects.requireNonNullElse(jdbc.password(), ""),
                    options);
            EmbeddedDatabase.refuse("tenon.jdbc.url", url, jdbc.allowInMemoryDatabase());
            return Connection.open(
                    new Connection.Place(BackendKind.JDBC, "tenon.jdbc.url", FORM, url), own, JdbcBackend::locks);
        }
        DataSource source = plain(source(jdbc, sources, beans));
        String where = DatabaseUrl.of(source).orElse("");
        EmbeddedDatabase.refuse(OF_APPLICATION, where, jdbc.allowInMemoryDatabase());
        return Connection.open(
                new Connection.Place(BackendKind.JDBC, OF_APPLICATION, "that spring.datasource.url takes", where),
                () -> JdbcBackend.over(source, options),
                JdbcBackend::locks);
    }

    @Bean
    TenonBackend tenonBackend(JdbcBackend jdbc) {
        return new TenonBackend(BackendKind.JDBC.key(), jdbc.locks(), jdbc.ranges(), jdbc::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(JdbcBackend jdbc) {
        return jdbc.lockStore();
    }

    private static DataSource source(TenonProperties.Jdbc jdbc, ObjectProvider<DataSource> sources, BeanFactory beans) {
        String name = jdbc.dataSource();
        if (name != null) {
            try {
                return beans.getBean(name, DataSource.class);
            } catch (NoSuchBeanDefinitionException e) {
                throw new TenonStartException(
                        "tenon.jdbc.data-source is \"" + name + "\", and there is no DataSource bean of that name.",
                        "Name one that there is.",
                        e);
            }
        }
        DataSource only = sources.getIfUnique();
        if (only != null) {
            return only;
        }
        if (sources.stream().findAny().isPresent()) {
            throw new TenonStartException(
                    "There are several DataSource beans, and nobody says which one Tenon is to use.",
                    "Set tenon.jdbc.data-source to the name of one, or make one @Primary.");
        }
        throw Connection.missing("a database", "tenon.jdbc.url", ", or give the application a DataSource");
    }

    /** Not one that ties connections to the transaction of the thread: locks are written beside it. */
    private static DataSource plain(DataSource given) {
        DataSource source = given instanceof GlobalDataSource global ? global.plain() : given;
        if (ClassUtils.isPresent(
                        "org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy",
                        JdbcBackendAutoConfiguration.class.getClassLoader())
                && source instanceof TransactionAwareDataSourceProxy proxy) {
            return Objects.requireNonNull(proxy.getTargetDataSource());
        }
        return source;
    }
}
