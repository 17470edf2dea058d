package dev.tenon.hibernate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.AbortedWork;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The keys that Hibernate asks a database for, on connections with automatic undo. */
class AutoUndoIdentityTest {
    /** The databases. */
    enum On {
        H2,
        MARIADB,
        MYSQL,
        POSTGRES;

        private DataSource source() {
            if (this == H2) {
                JdbcDataSource source = new JdbcDataSource();
                source.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
                return source;
            }
            SqlAddress at = switch (this) {
                case MARIADB -> MariaDbServer.shared();
                case MYSQL -> MySqlServer.shared();
                default -> PostgresServer.shared();
            };
            return AddressSource.of(at);
        }
    }

    @ParameterizedTest
    @EnumSource
    void identitiesComeBackAndTheirRowsAreUndone(On on) throws Exception {
        DataSource source = on.source();
        try (JdbcBackend backend = JdbcBackend.over(source);
                AbortedWork at = AbortedWork.over(backend.transactions(), backend.autoUndo(source));
                SessionFactory factory = factory(source)) {
            factory.inTransaction(session -> session.persist(new Order("first")));
            at.undone(connection -> work(factory, connection));
            List<Order> orders =
                    factory.fromSession(session -> session.createSelectionQuery("from AutoUndoOrder", Order.class)
                            .getResultList());
            assertThat(orders).extracting(order -> order.item + order.version).containsExactly("first0");
        }
    }

    private static void work(SessionFactory factory, Connection connection) {
        try (Session session = factory.withOptions().connection(connection).openSession()) {
            session.beginTransaction();
            Order one = new Order("one");
            Order two = new Order("two");
            session.persist(one);
            session.persist(two);
            assertThat(two.id).isEqualTo(one.id + 1);
            session.flush();
            one.item = "changed";
            Order first = session.createSelectionQuery("from AutoUndoOrder where item = 'first'", Order.class)
                    .getSingleResult();
            first.item = "changed, too";
            session.flush();
            session.remove(two);
            session.flush();
            assertThat(session.createMutationQuery("update AutoUndoOrder set item = 'all'")
                            .executeUpdate())
                    .isEqualTo(2);
            session.getTransaction().commit();
        }
    }

    private static SessionFactory factory(DataSource source) {
        StandardServiceRegistry registry = new StandardServiceRegistryBuilder()
                .applySettings(Map.of("hibernate.connection.datasource", source, "hibernate.hbm2ddl.auto", "create"))
                .build();
        return new MetadataSources(registry)
                .addAnnotatedClass(Order.class)
                .buildMetadata()
                .buildSessionFactory();
    }

    /** An entity whose key the database counts. */
    @Entity(name = "AutoUndoOrder")
    @Table(name = "auto_undo_order")
    static class Order {
        @Id
        @GeneratedValue(strategy = GenerationType.IDENTITY)
        Long id;

        String item;

        @Version
        int version;

        Order() {}

        Order(String item) {
            this.item = item;
        }
    }
}
