package dev.tenon.spring.global;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** A service that has the stock, in a PostgreSQL of its own. It knows nothing of who calls it. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(StockApplication.Stock.class)
class StockApplication {
    static ConfigurableApplicationContext start(List<String> keys) {
        List<String> all = new ArrayList<>(keys);
        all.add("spring.config.name=stock-application");
        all.add("spring.main.banner-mode=off");
        all.add("server.port=0");
        all.add("tenon.backend=jdbc");
        all.add("spring.application.name=stock");
        all.add("tenon.transactions.automatic-undo=dataSource");
        all.add("tenon.transactions.join=true");
        return new SpringApplicationBuilder(StockApplication.class)
                .properties(all.toArray(String[]::new))
                .run();
    }

    // tag::stock[]
    @RestController
    static class Stock {
        private final JdbcTemplate jdbc;

        Stock(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        @PostMapping("/stock/take/{pieces}")
        public String take(@PathVariable("pieces") int pieces) { // its caller says in what it takes part
            jdbc.update("UPDATE stock SET pieces = pieces - ? WHERE goods = 'water'", pieces);
            return "taken";
        }
    }
    // end::stock[]
}
