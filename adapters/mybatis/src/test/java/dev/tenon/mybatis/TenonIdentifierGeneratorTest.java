package dev.tenon.mybatis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;
import com.baomidou.mybatisplus.core.MybatisConfiguration;
import com.baomidou.mybatisplus.core.MybatisSqlSessionFactoryBuilder;
import com.baomidou.mybatisplus.core.config.GlobalConfig;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import com.baomidou.mybatisplus.core.toolkit.GlobalConfigUtils;
import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.util.Map;
import java.util.UUID;
import org.apache.ibatis.session.SqlSession;
import org.junit.jupiter.api.Test;

/** The generator in the real MyBatis-Plus, on H2. */
class TenonIdentifierGeneratorTest {
    private final Database.Counting coupons = new Database.Counting();
    private final IdGenerator others = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(7));
    private final Map<String, IdGenerator> ids = Map.of("coupon", coupons);

    @Test
    void anEntityGetsItsNumberBeforeTheInsert() {
        try (SqlSession session = session(TenonIdentifierGenerator.of(others))) {
            Order order = new Order();
            session.getMapper(Orders.class).insert(order);
            assertThat(IdLayout.twitter().decode(order.id).workerId()).isEqualTo(7);
            assertThat(session.getMapper(Orders.class).selectById(order.id)).isNotNull();
        }
    }

    @Test
    void eachEntityHasItsOwnNumbers() {
        try (SqlSession session = session(TenonIdentifierGenerator.byName(ids::get, others))) {
            LateCoupon coupon = new LateCoupon();
            session.getMapper(Coupons.class).insert(coupon);
            assertThat(coupon.id).isEqualTo("1");
            Order order = new Order();
            session.getMapper(Orders.class).insert(order);
            assertThat(order.id).isGreaterThan(1000L);
        }
    }

    @Test
    void whatHasANumberKeepsIt() {
        try (SqlSession session = session(TenonIdentifierGenerator.byName(ids::get, null))) {
            Order order = new Order();
            order.id = 77L;
            session.getMapper(Orders.class).insert(order);
            assertThat(session.getMapper(Orders.class).selectById(77L)).isNotNull();
        }
    }

    @Test
    void uuidsAreInTheOrderOfTime() {
        try (SqlSession session = session(TenonIdentifierGenerator.of(others))) {
            String before = "";
            for (int i = 0; i < 100; i++) {
                Token token = new Token();
                session.getMapper(Tokens.class).insert(token);
                assertThat(token.id).hasSize(32).isGreaterThan(before);
                assertThat(UUID.fromString(token.id.replaceFirst("(.{8})(.{4})(.{4})(.{4})(.{12})", "$1-$2-$3-$4-$5"))
                                .version())
                        .isEqualTo(7);
                before = token.id;
            }
        }
    }

    @Test
    void withoutAGeneratorTheInsertIsRefused() {
        try (SqlSession session = session(TenonIdentifierGenerator.byName(name -> null, null))) {
            assertThatThrownBy(() -> session.getMapper(Orders.class).insert(new Order()))
                    .hasRootCauseInstanceOf(IllegalArgumentException.class)
                    .hasStackTraceContaining("put @TenonId(\"name\") on the class");
            assertThatThrownBy(() -> session.getMapper(Coupons.class).insert(new LateCoupon()))
                    .hasStackTraceContaining("@TenonId(\"coupon\") on " + LateCoupon.class.getName());
            assertThat(session.getMapper(Orders.class).selectCount(null)).isZero();
        }
    }

    private static SqlSession session(TenonIdentifierGenerator generator) {
        MybatisConfiguration configuration =
                new MybatisConfiguration(Database.with("create table things (id varchar(40) primary key)"));
        GlobalConfig global = GlobalConfigUtils.defaults();
        global.setBanner(false);
        global.setIdentifierGenerator(generator);
        GlobalConfigUtils.setGlobalConfig(configuration, global);
        configuration.addMapper(Orders.class);
        configuration.addMapper(Coupons.class);
        configuration.addMapper(Tokens.class);
        return new MybatisSqlSessionFactoryBuilder().build(configuration).openSession();
    }

    interface Orders extends BaseMapper<Order> {}

    interface Coupons extends BaseMapper<LateCoupon> {}

    interface Tokens extends BaseMapper<Token> {}

    @TableName("things")
    static class Order {
        @TableId(type = IdType.ASSIGN_ID)
        Long id;
    }

    // tag::entity[]
    @TenonId("coupon")
    @TableName("things")
    static class Coupon {
        @TableId(type = IdType.ASSIGN_ID)
        String id;
    }
    // end::entity[]

    /** What its class says holds for it too. */
    @TableName("things")
    static class LateCoupon extends Coupon {}

    @TableName("things")
    static class Token {
        @TableId(type = IdType.ASSIGN_UUID)
        String id;
    }
}
