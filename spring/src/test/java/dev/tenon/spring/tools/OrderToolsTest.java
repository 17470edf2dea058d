package dev.tenon.spring.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import jakarta.persistence.EntityManagerFactory;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Mapper;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mybatis.spring.annotation.MapperScan;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Every tool that takes its identifiers from a generator, in one application: MyBatis-Plus by its own starter. */
class OrderToolsTest {
    static Stream<SqlAddress> servers() {
        return Stream.of(MariaDbServer.shared(), MySqlServer.shared(), PostgresServer.shared());
    }

    @ParameterizedTest
    @MethodSource("servers")
    void everyToolTakesItsIdentifiersFromTheSameGenerator(SqlAddress server) {
        SqlAddress database = server.newDatabase();
        try (ConfigurableApplicationContext application = start(database)) {
            JdbcTemplate jdbc = application.getBean(JdbcTemplate.class);
            jdbc.execute("create table orders (id bigint primary key, item varchar(20))");

            OrderTools.JpaOrder jpa = new OrderTools.JpaOrder();
            application.getBean(EntityManagerFactory.class).runInTransaction(entities -> entities.persist(jpa));
            OrderTools.DataOrder data = application
                    .getBean(JdbcAggregateOperations.class)
                    .save(new OrderTools.DataOrder(null, "by Spring Data"));
            OrderTools.PlainOrder plain = new OrderTools.PlainOrder();
            application.getBean(OrderTools.PlainMapper.class).insert(plain);
            OrderTools.PlusOrder plus = new OrderTools.PlusOrder();
            application.getBean(OrderTools.PlusMapper.class).insert(plus);

            assertThat(jdbc.queryForList("select id, item from orders order by id"))
                    .as("in the order in which they were made")
                    .isEqualTo(List.of(
                            Map.of("id", jpa.id, "item", "by JPA"),
                            Map.of("id", data.id(), "item", "by Spring Data"),
                            Map.of("id", plain.id, "item", "by MyBatis"),
                            Map.of("id", plus.id, "item", "by MyBatis-Plus")));
        }
    }

    private static ConfigurableApplicationContext start(SqlAddress database) {
        return new SpringApplicationBuilder(Application.class)
                .properties(
                        "spring.main.web-application-type=none",
                        "spring.main.banner-mode=off",
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.password=" + database.password(),
                        "spring.sql.init.mode=never",
                        "mybatis-plus.global-config.banner=false",
                        "tenon.backend=jdbc",
                        "tenon.ids.order.kind=snowflake")
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @MapperScan(basePackageClasses = OrderTools.class, annotationClass = Mapper.class)
    static class Application extends AbstractJdbcConfiguration {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setManagedTypes(PersistenceManagedTypes.of(OrderTools.JpaOrder.class.getName()));
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            return factory;
        }
    }
}
