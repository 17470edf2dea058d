package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.lock.Locks;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.mybatis.TenonIdInterceptor;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import org.awaitility.Awaitility;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.annotation.Id;
import org.springframework.data.jdbc.core.JdbcAggregateOperations;
import org.springframework.data.jdbc.repository.config.AbstractJdbcConfiguration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcOperations;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** What the starter does for tools that are there: each of them, as it is, on H2. */
class AdaptersTest {
    private static AnnotationConfigApplicationContext application;

    @BeforeAll
    static void start() {
        application = new AnnotationConfigApplicationContext();
        application
                .getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                "tenon.backend", "jdbc",
                                "tenon.ids.order.kind", "snowflake",
                                "tenon.ids.order.worker-id", "7",
                                "tenon.jdbc.allow-in-memory-database", "true",
                                "tenon.ids.invoice.kind", "sequence",
                                "tenon.ids.receipt.kind", "sequence")));
        application.register(Application.class);
        application.register(Starter.autoConfigurations());
        application.refresh();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @Test
    void jpaEntitiesHaveIdentifiersByName() {
        try (EntityManager entities =
                application.getBean(EntityManagerFactory.class).createEntityManager()) {
            JpaOrder order = new JpaOrder();
            entities.persist(order);
            assertThat(IdLayout.twitter().decode(order.id).workerId()).isEqualTo(7);
        }
    }

    @Test
    void aNameThatNobodyKnowsEndsTheStart() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withUserConfiguration(Application.class)
                .withPropertyValues("tenon.backend=jdbc", "tenon.jdbc.allow-in-memory-database=true")
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(new TenonFailureAnalyzer().analyze(context.getStartupFailure()))
                            .isNotNull()
                            .satisfies(analysis ->
                                    assertThat(analysis.getDescription()).contains("@TenonId(\"order\")"))
                            .satisfies(
                                    analysis -> assertThat(analysis.getAction()).contains("tenon.ids.order.kind"));
                });
    }

    @Test
    void springDataSavesRecordsAndObjects() {
        JdbcAggregateOperations data = application.getBean(JdbcAggregateOperations.class);
        DataOrder saved = data.save(new DataOrder(null, "shoes"));
        assertThat(IdLayout.twitter().decode(saved.id()).workerId()).isEqualTo(7);
        assertThat(data.findById(saved.id(), DataOrder.class)).isEqualTo(saved);
        DataOrder changed = data.save(new DataOrder(saved.id(), "hat"));
        assertThat(changed.id()).isEqualTo(saved.id());
        assertThat(data.findAll(DataOrder.class)).containsExactly(changed);

        List<Invoice> many = List.of(new Invoice(), new Invoice());
        data.saveAll(many);
        assertThat(many).extracting(invoice -> invoice.number).containsExactly("1", "2");

        assertThatThrownBy(() -> data.save(new Stranger(null))).hasStackTraceContaining("@TenonId(\"nobody\")");
    }

    @Test
    void springIntegrationLocksAcrossThreadsAndProcesses() throws Exception {
        LockRegistry<?> registry = application.getBean(LockRegistry.class);
        // tag::integration[]
        Lock lock = registry.obtain("file");
        lock.lock();
        // end::integration[]
        try {
            assertThat(registry.obtain("file").tryLock()).as("reentrant").isTrue();
            registry.obtain("file").unlock();
            assertThat(elsewhere(() -> registry.obtain("file").tryLock())).isFalse();
            assertThat(elsewhere(() -> registry.obtain("other").tryLock())).isTrue();
            assertThat(application.getBean(Locks.class).lock("integration:file").tryAcquire())
                    .isEmpty();
            CompletableFuture<Class<?>> refused = CompletableFuture.supplyAsync(() -> {
                try {
                    registry.executeLocked("file", Duration.ofMillis(10), () -> {});
                    return null;
                } catch (TimeoutException | InterruptedException e) {
                    return e.getClass();
                }
            });
            assertThat(refused.get()).isEqualTo(TimeoutException.class);
        } finally {
            lock.unlock();
        }
        assertThat(registry.<String, RuntimeException>executeLocked("file", () -> "done"))
                .isEqualTo("done");
    }

    @Test
    void keysOfLocks() {
        LockRegistry<?> registry = application.getBean(LockRegistry.class);
        assertThatThrownBy(() -> registry.obtain(new Object()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no text of its own");
        UUID key = UUID.randomUUID();
        String path = "/var/" + "long/".repeat(100);
        registry.obtain(key).lock();
        registry.obtain(path).lock();
        try {
            Set<String> held = new TreeSet<>();
            LockPage page = application.getBean(Locks.class).list("integration:", "", 100);
            page.locks().forEach(view -> held.add(view.name()));
            assertThat(held).contains("integration:" + key).anyMatch(name -> name.startsWith("integration:sha256:"));
        } finally {
            registry.obtain(path).unlock();
            registry.obtain(key).unlock();
        }
    }

    /** As Spring Integration's own tests ask of each registry; but nothing stays of a key that nobody uses. */
    @Test
    void aKeyHasOneLockWhileSomebodyHasIt() throws Exception {
        TenonLockRegistry registry = (TenonLockRegistry) application.getBean(LockRegistry.class);
        Lock lock = registry.obtain("one");
        lock.lock();
        try {
            assertThat(registry.obtain("one")).isSameAs(lock);
            assertThat(CompletableFuture.supplyAsync(() -> registry.obtain("one"))
                            .get())
                    .isSameAs(lock);
            assertThat(registry.obtain("two")).isNotSameAs(lock);
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < 10_000; i++) {
            registry.obtain("file " + i);
        }
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> {
            System.gc();
            return registry.size() < 100;
        });
        assertThat(registry.obtain("one")).isSameAs(lock);
        assertThatThrownBy(() -> registry.obtain(null)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shedLockLocksInTheSameStore() {
        LockProvider provider = application.getBean(LockProvider.class);
        LockConfiguration report = new LockConfiguration(Instant.now(), "report", Duration.ofMinutes(1), Duration.ZERO);
        var held = provider.lock(report).orElseThrow();
        assertThat(application.getBean(Locks.class).lock("report").tryAcquire()).isEmpty();
        assertThat(provider.lock(report)).isEmpty();
        held.unlock();
        assertThat(provider.lock(report)).isPresent();
    }

    @Test
    void myBatisFindsItsBeans() {
        assertThat(application.getBean(TenonIdInterceptor.class)).isNotNull();
        IdentifierGenerator generator = application.getBean(IdentifierGenerator.class);
        assertThat(generator.nextId(new PlusReceipt())).isInstanceOf(Long.class);
        assertThatThrownBy(() -> generator.nextId("an entity without a name, and there are two generators"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void withoutTheToolsThereAreNoAdapters() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withPropertyValues("tenon.backend=memory")
                .withClassLoader(new FilteredClassLoader(
                        "org.hibernate",
                        "org.springframework.orm",
                        "org.springframework.data.relational",
                        "org.springframework.integration",
                        "org.apache.ibatis",
                        "com.baomidou",
                        "net.javacrumbs",
                        "dev.tenon.hibernate",
                        "dev.tenon.mybatis",
                        "dev.tenon.shedlock"))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBeanDefinitionNames())
                            .contains("tenonLocks")
                            .doesNotContain("tenonHibernateIds", "tenonLockRegistry", "tenonLockProvider");
                });
    }

    @Test
    void aBeanOfTheApplicationsOwnComesFirst() {
        LockProvider own = wish -> java.util.Optional.empty();
        IdentifierGenerator ownIds = entity -> 1;
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withPropertyValues("tenon.backend=memory", "tenon.ids.order.kind=snowflake")
                .withBean(LockProvider.class, () -> own)
                .withBean(IdentifierGenerator.class, () -> ownIds)
                .run(context -> {
                    assertThat(context.getBean(LockProvider.class)).isSameAs(own);
                    assertThat(context.getBean(IdentifierGenerator.class)).isSameAs(ownIds);
                });
    }

    private static boolean elsewhere(java.util.function.BooleanSupplier question) throws Exception {
        return CompletableFuture.supplyAsync(question::getAsBoolean).get();
    }

    @Configuration(proxyBeanMethods = false)
    static class Application extends AbstractJdbcConfiguration {
        @Bean
        DataSource dataSource() {
            JdbcDataSource source = new JdbcDataSource();
            source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
            JdbcTemplate jdbc = new JdbcTemplate(source);
            jdbc.execute("create table data_order (id bigint primary key, item varchar(20))");
            jdbc.execute("create table invoice (number varchar(20) primary key)");
            jdbc.execute("create table stranger (id bigint primary key)");
            return source;
        }

        @Bean
        NamedParameterJdbcOperations jdbc(DataSource source) {
            return new NamedParameterJdbcTemplate(source);
        }

        @Bean
        PlatformTransactionManager transactionManager(DataSource source) {
            return new DataSourceTransactionManager(source);
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setManagedTypes(
                    org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes.of(JpaOrder.class.getName()));
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            return factory;
        }
    }

    @Entity(name = "JpaOrder")
    static class JpaOrder {
        @jakarta.persistence.Id
        @dev.tenon.hibernate.TenonId("order")
        Long id;
    }

    // tag::data[]
    record DataOrder(@Id @TenonId("order") Long id, String item) {}
    // end::data[]

    static class Invoice {
        @Id
        @TenonId("invoice")
        String number;
    }

    record Stranger(@Id @TenonId("nobody") Long id) {}

    @dev.tenon.mybatis.TenonId("receipt")
    static class PlusReceipt {}
}
