package dev.tenon.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.memory.MemoryBackend;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.hibernate.MappingException;
import org.hibernate.SessionFactory;
import org.hibernate.boot.MetadataSources;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The annotation in the real Hibernate, on H2. */
class TenonIdTest {
    private final MemoryBackend memory = MemoryBackend.create();
    private final Counting invoices = new Counting(SequenceGenerator.create(memory.ranges(), "invoice"));
    private final IdGenerator orders = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(7));
    private final Map<String, IdGenerator> ids = new HashMap<>(Map.of("order", orders, "invoice", invoices));

    @AfterEach
    void close() {
        memory.close();
    }

    @Test
    void aNumberIsThereWhenTheEntityIsPersisted() {
        try (SessionFactory factory = factory(ids::get, Order.class)) {
            Order order = new Order("shoes");
            factory.inTransaction(session -> {
                session.persist(order);
                assertThat(IdLayout.twitter().decode(order.id).workerId()).isEqualTo(7);
            });
            Order read = factory.fromSession(session -> session.find(Order.class, order.id));
            assertThat(read.item).isEqualTo("shoes");
        }
    }

    @Test
    void everyFormOfANumber() {
        try (SessionFactory factory = factory(ids::get, Small.class, Text.class, Big.class, ByGetter.class)) {
            Small small = new Small();
            Text text = new Text();
            Big big = new Big();
            ByGetter byGetter = new ByGetter();
            factory.inTransaction(session -> List.of(small, text, big, byGetter).forEach(session::persist));
            assertThat(small.id).isEqualTo(1);
            assertThat(text.id).isEqualTo("2");
            assertThat(big.id).isEqualTo(BigInteger.valueOf(3));
            assertThat(byGetter.getId()).isEqualTo(4L);
            assertThat(factory.<Object>fromSession(session -> session.find(Text.class, "2")))
                    .isNotNull();
        }
    }

    @Test
    void aBatchAsksOnceForManyNumbers() throws Exception {
        try (SessionFactory factory = factory(ids::get, Batched.class)) {
            ExecutorService threads = Executors.newFixedThreadPool(4);
            try {
                List<Callable<Set<Long>>> work = IntStream.range(0, 4)
                        .mapToObj(thread -> (Callable<Set<Long>>) () -> persisted(factory, 50))
                        .toList();
                Set<Long> all = new HashSet<>();
                for (Future<Set<Long>> done : threads.invokeAll(work)) {
                    all.addAll(done.get());
                }
                assertThat(all).hasSize(200).allMatch(id -> id <= 200);
            } finally {
                threads.shutdownNow();
            }
            assertThat(invoices.calls).isEqualTo(2);
        }
    }

    @Test
    void aNumberThatWasNotToBeHadEndsThePersistAndNothingIsWritten() {
        try (SessionFactory factory = factory(ids::get, Batched.class)) {
            invoices.down = true;
            assertThatThrownBy(() -> factory.inTransaction(session -> session.persist(new Batched())))
                    .isInstanceOf(BackendUnavailableException.class);
            invoices.down = false;
            assertThat(persisted(factory, 1)).containsExactly(1L);
            assertThat(factory.<Long>fromSession(
                            session -> session.createQuery("select count(*) from Batched", Long.class)
                                    .getSingleResult()))
                    .isEqualTo(1);
        }
    }

    @Test
    void anIntThatIsTooSmallIsRefused() {
        ids.put("invoice", orders);
        try (SessionFactory factory = factory(ids::get, Small.class)) {
            assertThatThrownBy(() -> factory.inTransaction(session -> session.persist(new Small())))
                    .isInstanceOf(ArithmeticException.class);
        }
    }

    @Test
    void whatIsWrongEndsTheStartAndIsSaid() {
        refused(null, Order.class, "setting \"tenon.ids\"", "missing", "Order.id");
        refused(ids, Order.class, "a java.util.HashMap");
        ids.remove("order");
        refused((Function<String, IdGenerator>) ids::get, Order.class, "@TenonId(\"order\")", "no generator");
        refused((Function<String, IdGenerator>) ids::get, OfUuid.class, "OfUuid.id", "java.util.UUID");
        refused((Function<String, IdGenerator>) ids::get, NoBatch.class, "1 to 10000");
    }

    private static Set<Long> persisted(SessionFactory factory, int count) {
        List<Batched> batch =
                IntStream.range(0, count).mapToObj(i -> new Batched()).toList();
        factory.inTransaction(session -> batch.forEach(session::persist));
        Set<Long> numbers = new HashSet<>();
        batch.forEach(one -> numbers.add(one.id));
        assertThat(numbers).hasSize(count);
        return numbers;
    }

    private static void refused(Object setting, Class<?> entity, String... parts) {
        assertThatThrownBy(() -> factory(setting, entity).close())
                .isInstanceOf(MappingException.class)
                .hasMessageContainingAll(parts);
    }

    private static SessionFactory factory(Function<String, IdGenerator> ids, Class<?>... entities) {
        return factory((Object) ids, entities);
    }

    private static SessionFactory factory(Object setting, Class<?>... entities) {
        StandardServiceRegistryBuilder settings = new StandardServiceRegistryBuilder()
                .applySetting("hibernate.connection.url", "jdbc:h2:mem:" + UUID.randomUUID())
                .applySetting("hibernate.connection.pool_size", "4")
                .applySetting("hibernate.hbm2ddl.auto", "create")
                .applySetting("hibernate.jdbc.batch_size", "50");
        if (setting != null) {
            settings.applySetting(TenonId.GENERATORS, setting);
        }
        StandardServiceRegistry registry = settings.build();
        try {
            return new MetadataSources(registry)
                    .addAnnotatedClasses(entities)
                    .buildMetadata()
                    .buildSessionFactory();
        } catch (RuntimeException e) {
            StandardServiceRegistryBuilder.destroy(registry);
            throw e;
        }
    }

    /** Numbers that count how often they were asked for, and may be away. */
    static final class Counting implements IdGenerator {
        private final IdGenerator ids;
        volatile int calls;
        volatile boolean down;

        Counting(IdGenerator ids) {
            this.ids = ids;
        }

        @Override
        public long nextId() {
            calls++;
            return ids.nextId();
        }

        @Override
        public void fill(long[] numbers) {
            if (down) {
                throw new BackendUnavailableException("away");
            }
            calls++;
            ids.fill(numbers);
        }
    }

    @Entity(name = "Orders")
    static class Order {
        // tag::entity[]
        @Id
        @TenonId("order")
        Long id;
        // end::entity[]

        String item;

        Order() {}

        Order(String item) {
            this.item = item;
        }
    }

    @Entity(name = "Small")
    static class Small {
        @Id
        @TenonId("invoice")
        int id;
    }

    @Entity(name = "Texts")
    static class Text {
        @Id
        @TenonId("invoice")
        String id;
    }

    @Entity(name = "Big")
    static class Big {
        @Id
        @TenonId("invoice")
        BigInteger id;
    }

    @Entity(name = "ByGetter")
    static class ByGetter {
        private Long id;

        @Id
        @TenonId("invoice")
        Long getId() {
            return id;
        }

        void setId(Long id) {
            this.id = id;
        }
    }

    @Entity(name = "Batched")
    static class Batched {
        @Id
        @TenonId(value = "invoice", batch = 100)
        long id;
    }

    @Entity(name = "OfUuid")
    static class OfUuid {
        @Id
        @TenonId("invoice")
        UUID id;
    }

    @Entity(name = "NoBatch")
    static class NoBatch {
        @Id
        @TenonId(value = "invoice", batch = 0)
        long id;
    }
}
