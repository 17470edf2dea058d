package dev.tenon.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.IdGenerator;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The interceptor in the real MyBatis, on H2. */
class TenonIdInterceptorTest {
    private final Database.Counting orders = new Database.Counting();
    private final IdGenerator broken = () -> {
        throw new BackendUnavailableException("away");
    };
    private final Map<String, IdGenerator> ids = Map.of("order", orders, "broken", broken);
    private SqlSession session;
    private Orders mapper;

    @BeforeEach
    void open() {
        Configuration configuration =
                new Configuration(Database.with("create table orders (id varchar(30) primary key, item varchar(20))"));
        // tag::setup[]
        configuration.addInterceptor(TenonIdInterceptor.of(ids::get));
        // end::setup[]
        configuration.addMapper(Orders.class);
        session = new SqlSessionFactoryBuilder().build(configuration).openSession();
        mapper = session.getMapper(Orders.class);
    }

    @AfterEach
    void close() {
        session.close();
    }

    @Test
    void anEntityGetsItsNumberBeforeTheInsert() {
        Order order = new Order("shoes");
        mapper.insert(order);
        assertThat(order.id).isEqualTo(1);
        assertThat(mapper.item("1")).isEqualTo("shoes");
    }

    @Test
    void manyEntitiesAreOneCallForNumbers() {
        List<Order> many = List.of(new Order("a"), new Order("b"), new Order("c"));
        mapper.insertAll(many);
        assertThat(many).extracting(order -> order.id).containsExactly(1L, 2L, 3L);
        assertThat(orders.calls).isEqualTo(1);
        mapper.insertArray(new Order[] {new Order("d")});
        assertThat(mapper.item("4")).isEqualTo("d");
    }

    @Test
    void parametersWithNames() {
        TextOrder text = new TextOrder();
        mapper.insertNamed(text, "hat");
        assertThat(text.id).isEqualTo("1");
        assertThat(mapper.item("1")).isEqualTo("hat");
    }

    @Test
    void whatHasANumberKeepsIt() {
        Order order = new Order("shoes");
        order.id = 77;
        mapper.insert(order);
        assertThat(mapper.item("77")).isEqualTo("shoes");
        assertThat(orders.calls).isZero();
    }

    @Test
    void onlyInsertsAreTouched() {
        Order order = new Order("shoes");
        mapper.update(order);
        assertThat(order.id).isZero();
        mapper.insertPlain("5", "no entity");
        mapper.insertMap(Map.of("id", "6", "item", "a map"));
        assertThat(mapper.item("6")).isEqualTo("a map");
        assertThat(orders.calls).isZero();
    }

    @Test
    void whatIsWrongEndsTheInsertAndIsSaid() {
        assertThatThrownBy(() -> mapper.insertAny(new Unknown()))
                .hasRootCauseInstanceOf(IllegalArgumentException.class)
                .hasStackTraceContaining("@TenonId(\"nobody\")")
                .hasStackTraceContaining("no generator of this name");
        assertThatThrownBy(() -> mapper.insertAny(new Fixed(null)))
                .hasStackTraceContaining("Fixed.id: the field is final");
        assertThatThrownBy(() -> mapper.insertAny(new Wrong())).hasStackTraceContaining("not a java.lang.Boolean");
        Broken failed = new Broken();
        assertThatThrownBy(() -> mapper.insertAny(failed)).hasRootCauseInstanceOf(BackendUnavailableException.class);
        assertThat(failed.id).isNull();
        assertThat(mapper.count()).isZero();
    }

    @Test
    void aNumberThatIsTooGreatForAnIntIsRefused() {
        orders.last = Integer.MAX_VALUE;
        assertThatThrownBy(() -> mapper.insertAny(new Small())).hasRootCauseInstanceOf(ArithmeticException.class);
        assertThat(mapper.count()).isZero();
    }

    @Test
    void nothingInAListIsPassedOver() {
        mapper.insertMaybe(Arrays.asList(null, new Order("a")));
        assertThat(mapper.item("1")).isEqualTo("a");
    }

    /** A path of one name has itself as its one element. */
    @Test
    void aPathIsNotLookedInto() {
        TextOrder text = new TextOrder();
        mapper.insertPath(text, Path.of("a"));
        mapper.insertPath(new TextOrder(), Path.of("/a/b"));
        assertThat(text.id).isEqualTo("1");
        assertThat(mapper.item("1")).isEqualTo("a file");
        assertThat(mapper.count()).isEqualTo(2);
    }

    interface Orders {
        @Insert("insert into orders values (#{id}, #{item})")
        void insert(Order order);

        @Insert("<script>insert into orders values <foreach collection='list' item='o' separator=','>"
                + "(#{o.id}, #{o.item})</foreach></script>")
        void insertAll(List<Order> orders);

        @Insert("insert into orders values (#{list[1].id}, #{list[1].item})")
        void insertMaybe(List<Order> orders);

        @Insert("<script>insert into orders values <foreach collection='array' item='o' separator=','>"
                + "(#{o.id}, #{o.item})</foreach></script>")
        void insertArray(Order[] orders);

        @Insert("insert into orders values (#{order.id}, #{item})")
        void insertNamed(@Param("order") TextOrder order, @Param("item") String item);

        @Insert("insert into orders values (#{id}, #{item})")
        void insertPlain(@Param("id") String id, @Param("item") String item);

        @Insert("insert into orders values (#{id}, #{item})")
        void insertMap(Map<String, String> order);

        @Insert("insert into orders values (#{order.id}, 'a file')")
        void insertPath(@Param("order") TextOrder order, @Param("path") Path path);

        @Insert("insert into orders values (#{id}, 'any')")
        void insertAny(Object order);

        @Update("update orders set item = #{item} where id = #{id}")
        void update(Order order);

        @Select("select item from orders where id = #{id}")
        String item(String id);

        @Select("select count(*) from orders")
        int count();
    }

    static class Base {
        @TenonId("order")
        long id;
    }

    static class Order extends Base {
        final String item;

        Order(String item) {
            this.item = item;
        }
    }

    // tag::entity[]
    static class TextOrder {
        @TenonId("order")
        String id;
    }
    // end::entity[]

    static class Small {
        @TenonId("order")
        Integer id;
    }

    static class Unknown {
        @TenonId("nobody")
        Long id;
    }

    static class Wrong {
        @TenonId("order")
        Boolean id;
    }

    static class Broken {
        @TenonId("broken")
        Long id;
    }

    record Fixed(@TenonId("order") Long id) {}
}
