package dev.tenon.spring.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.builder.IdBuilder;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** IDs by code as a bean, in the line of Spring Boot before, over the application's own database. */
class OlderIdBuilderTest {
    /** Wants IDs from the start on. */
    record Shop(IdBuilder ids) {}

    @Configuration
    @EnableAutoConfiguration
    static class Application {
        @Bean
        Shop shop(IdBuilder ids) {
            return new Shop(ids);
        }
    }

    @Test
    void theBeanServesTheCodesOfTheTable() {
        assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "tenon.backend=jdbc",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "tenon.ids.order.kind=snowflake", // of the entities in this package
                        "tenon.id-builder.create-table=true",
                        "tenon.id-builder.machine-index=12")
                .run()) {
            context.getBean(JdbcTemplate.class)
                    .update("INSERT INTO t_id_builder_config"
                            + " (id, des, init_num, current_threshold, step, biz_code, is_seq)"
                            + " VALUES (1, 'orders', 0, 100, 10, 'order_', 0)");
            IdBuilder ids = context.getBean(Shop.class).ids();
            assertThat(ids.unionSeqId(1)).isEqualTo(100);
            assertThat(ids.unionSeqIdStr(1)).isEqualTo("order_12101");
        }
    }
}
