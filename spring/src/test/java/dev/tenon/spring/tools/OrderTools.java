package dev.tenon.spring.tools;

import com.baomidou.mybatisplus.annotation.IdType;
import com.baomidou.mybatisplus.annotation.TableId;
import com.baomidou.mybatisplus.annotation.TableName;
import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import dev.tenon.spring.TenonId;
import jakarta.persistence.Entity;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Mapper;
import org.springframework.data.annotation.Id;
import org.springframework.data.relational.core.mapping.Table;

/** One table, as each tool maps it. */
public final class OrderTools {
    private OrderTools() {}

    @Entity(name = "orders")
    public static class JpaOrder {
        @jakarta.persistence.Id
        @dev.tenon.hibernate.TenonId("order")
        public Long id;

        public String item = "by JPA";
    }

    @Table("orders")
    public record DataOrder(@Id @TenonId("order") Long id, String item) {}

    public static class PlainOrder {
        @dev.tenon.mybatis.TenonId("order")
        public Long id;

        public String item = "by MyBatis";
    }

    @Mapper
    public interface PlainMapper {
        @Insert("insert into orders (id, item) values (#{id}, #{item})")
        int insert(PlainOrder order);
    }

    @TableName("orders")
    public static class PlusOrder {
        @TableId(type = IdType.ASSIGN_ID)
        public Long id;

        public String item = "by MyBatis-Plus";
    }

    @Mapper
    public interface PlusMapper extends BaseMapper<PlusOrder> {}
}
