package dev.tenon.spring;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.xa.XaDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** An application with a MariaDB, which is spring.datasource and has the log, and a PostgreSQL beside it. */
@Configuration(proxyBeanMethods = false)
class TwoDatabases {
    // tag::second[]
    @Bean(defaultCandidate = false) // spring.datasource stays the application's own
    DataSource savingsSource(Environment keys) {
        return DataSourceBuilder.create()
                .url(keys.getProperty("savings.url"))
                .username(keys.getProperty("savings.user"))
                .password(keys.getProperty("savings.password"))
                .build();
    }

    @Bean(defaultCandidate = false) // the log stays in the application's own
    JdbcBackend savingsBackend(@Qualifier("savingsSource") DataSource source) {
        return JdbcBackend.over(source);
    }
    // end::second[]

    // tag::xa[]
    @Bean
    XaDatabase giro(Environment keys, JdbcBackend backend) throws SQLException {
        MariaDbDataSource source = new MariaDbDataSource(keys.getProperty("spring.datasource.url"));
        source.setUser(keys.getProperty("spring.datasource.username"));
        source.setPassword(keys.getProperty("spring.datasource.password"));
        return XaDatabase.of(source, backend.barrierStore());
    }

    @Bean
    XaDatabase savings(Environment keys, @Qualifier("savingsBackend") JdbcBackend backend) {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(keys.getProperty("savings.url"));
        source.setUser(keys.getProperty("savings.user"));
        source.setPassword(keys.getProperty("savings.password"));
        return XaDatabase.of(source, backend.barrierStore());
    }
    // end::xa[]

    // tag::undo[]
    @Bean
    AtResource orders(DataSource source, JdbcBackend backend) {
        return backend.autoUndo(source);
    }

    @Bean
    AtResource stock(@Qualifier("savingsSource") DataSource source, @Qualifier("savingsBackend") JdbcBackend backend) {
        return backend.autoUndo(source);
    }
    // end::undo[]

    /** Where they are, with an account of 100 in each. */
    static String[] keys() throws SQLException {
        SqlAddress giro = MariaDbServer.shared().newDatabase();
        SqlAddress savings = PostgresServer.shared().newDatabase();
        open(giro);
        open(savings);
        return new String[] {
            "spring.application.name=bank",
            "spring.datasource.url=" + giro.url(),
            "spring.datasource.username=" + giro.user(),
            "spring.datasource.password=" + giro.password(),
            "savings.url=" + savings.url(),
            "savings.user=" + savings.user(),
            "savings.password=" + savings.password()
        };
    }

    private static void open(SqlAddress database) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT CHECK (balance >= 0))");
            statement.execute("INSERT INTO account VALUES (1, 100)");
        }
    }
}
