package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.spring.GlobalTransaction;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** JPA with a session that is open for a whole request, as spring.jpa.open-in-view has it by default. */
class OpenInViewTest {
    private static final String FAILURE = "as this test wants it";

    private static ConfigurableApplicationContext application;
    private static JdbcTemplate plain;

    @BeforeAll
    static void start() {
        SqlAddress database = PostgresServer.shared().newDatabase();
        plain = new JdbcTemplate(new DriverManagerDataSource(database.url(), database.user(), database.password()));
        plain.execute("CREATE TABLE parcel (id SERIAL PRIMARY KEY, pieces INT, version INT)");
        plain.execute("ALTER SEQUENCE parcel_id_seq RESTART WITH 1000");
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.config.name=open-in-view",
                        "spring.main.banner-mode=off",
                        "tenon.backend=jdbc",
                        "tenon.transactions.service=parcels",
                        "tenon.transactions.automatic-undo=dataSource",
                        "spring.datasource.hikari.maximum-pool-size=4",
                        "spring.datasource.url=" + database.url(),
                        "spring.datasource.username=" + database.user(),
                        "spring.datasource.password=" + database.password())
                .run();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void empty() {
        plain.update("DELETE FROM parcel");
        plain.update("INSERT INTO parcel VALUES (1, 10, 0), (2, 20, 0)");
    }

    private static Parcels parcels() {
        return application.getBean(Parcels.class);
    }

    private static Requests requests() {
        return application.getBean(Requests.class);
    }

    private static void fails(Runnable work) {
        assertThatThrownBy(work::run).isInstanceOf(IllegalStateException.class).hasMessage(FAILURE);
    }

    private static void fail() {
        throw new IllegalStateException(FAILURE);
    }

    private static List<Integer> pieces() {
        return plain.queryForList("SELECT pieces FROM parcel ORDER BY id", Integer.class);
    }

    /** A request, with the session that it keeps. */
    private static void request(Consumer<EntityManager> work) {
        EntityManagerFactory factory = application.getBean(EntityManagerFactory.class);
        EntityManager session = factory.createEntityManager();
        TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(session));
        try {
            work.accept(session);
        } finally {
            TransactionSynchronizationManager.unbindResource(factory);
            session.close();
        }
    }

    @Test
    void whatAControllerReadsBeforeDoesNotKeepTheRestOutside() {
        request(session -> {
            assertThat(session.find(Parcel.class, 1).pieces).isEqualTo(10);
            fails(() -> requests().global(() -> {
                parcels().change(1, 11);
                fail();
            }));
            assertThat(pieces()).containsExactly(10, 20);
        });
        request(session -> {
            assertThat(session.find(Parcel.class, 1).pieces).isEqualTo(10);
            requests().global(() -> parcels().change(1, 12));
            assertThat(pieces()).containsExactly(12, 20);
        });
    }

    @Test
    void thereMayBeSeveralLocalTransactionsAndOthersAfterIt() {
        request(session -> {
            fails(() -> requests().global(() -> {
                parcels().change(1, 11);
                parcels().add(30);
                parcels().change(1, 12);
                fail();
            }));
            assertThat(pieces()).containsExactly(10, 20);
        });
        request(session -> {
            requests().global(() -> {
                parcels().change(1, 13);
                parcels().change(2, 23);
            });
            parcels().change(2, 24);
            requests().global(() -> assertThat(parcels().sum()).isEqualTo(37));
            parcels().add(30);
            assertThat(pieces()).containsExactly(13, 24, 30);
        });
    }

    @Test
    void inOneThatMayDoWithoutATransactionEachStatementTakesPart() {
        fails(() -> requests().supporting(() -> {
            assertThat(parcels().sum()).isEqualTo(30);
            requests().global(() -> {
                parcels().put(1, 11);
                parcels().put(2, 21);
                fail();
            });
        }));
        assertThat(pieces()).containsExactly(10, 20);
        requests().supporting(() -> {
            assertThat(parcels().sum()).isEqualTo(30);
            requests().global(() -> parcels().put(2, 22));
            assertThat(pieces()).containsExactly(10, 22);
        });
    }

    /** Of sessions that are opened within it, none holds a connection between local transactions. */
    @Test
    void moreRequestsThanThePoolHasConnectionsGetOn() throws Exception {
        int callers = 12;
        for (int i = 0; i < callers; i++) {
            plain.update("INSERT INTO parcel VALUES (?, 0, 0)", 100 + i);
        }
        CyclicBarrier together = new CyclicBarrier(callers);
        ExecutorService threads = Executors.newFixedThreadPool(callers);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < callers; i++) {
                int id = 100 + i;
                all.add(threads.submit(() -> request(session -> requests().global(() -> {
                    parcels().change(id, 1);
                    await(together); // as all of them wait for another service
                    parcels().change(id, 2);
                }))));
            }
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(plain.queryForObject("SELECT COUNT(*) FROM parcel WHERE pieces = 2", Integer.class))
                .isEqualTo(callers);
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(1, TimeUnit.MINUTES);
        } catch (Exception e) {
            throw new IllegalStateException("The others have not come", e);
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableTransactionManagement
    @Import({Requests.class, Parcels.class})
    static class Application {
        @Bean
        JpaTransactionManager transactionManager(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(javax.sql.DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setManagedTypes(PersistenceManagedTypes.of(Parcel.class.getName()));
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setJpaPropertyMap(Map.of("hibernate.jdbc.batch_size", "20"));
            return factory;
        }
    }

    static class Requests {
        @GlobalTransaction
        public void global(Runnable work) {
            work.run();
        }

        @Transactional(propagation = Propagation.SUPPORTS)
        public void supporting(Runnable work) {
            work.run();
        }
    }

    static class Parcels {
        @PersistenceContext
        private EntityManager entities;

        private final JdbcTemplate rows;

        Parcels(JdbcTemplate rows) {
            this.rows = rows;
        }

        @Transactional
        public void change(int id, int pieces) {
            entities.find(Parcel.class, id).pieces = pieces;
        }

        @Transactional
        public void add(int pieces) {
            Parcel parcel = new Parcel();
            parcel.pieces = pieces;
            entities.persist(parcel);
        }

        @Transactional(readOnly = true)
        public long sum() {
            return entities.createQuery("SELECT SUM(p.pieces) FROM Parcel p", Long.class)
                    .getSingleResult();
        }

        public void put(int id, int pieces) {
            rows.update("UPDATE parcel SET pieces = ? WHERE id = ?", pieces, id);
        }
    }

    @Entity(name = "Parcel")
    @Table(name = "parcel")
    static class Parcel {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Integer id;

        int pieces;

        @Version
        int version;
    }
}
