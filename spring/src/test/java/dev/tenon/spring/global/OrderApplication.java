package dev.tenon.spring.global;

import dev.tenon.spring.GlobalTransaction;
import dev.tenon.tx.global.GlobalPropagation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Scope;
import org.springframework.core.env.Environment;
import org.springframework.http.client.reactive.JdkClientHttpConnector;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.reactive.function.client.WebClient;

/** A service that takes orders, with a MariaDB of its own, and calls the one that has the stock. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({OrderApplication.OrderRows.class, OrderApplication.Orders.class})
public class OrderApplication {
    /** As of a process of its own: with what it begins, it dies between the call and its end. */
    public static void main(String[] keys) {
        ConfigurableApplicationContext application = start(List.of(keys));
        application.getBean(Orders.class).orderAndThen(42, 3, () -> {
            System.out.println("ordered");
            Runtime.getRuntime().halt(9);
        });
    }

    static ConfigurableApplicationContext start(List<String> keys) {
        List<String> all = new ArrayList<>(keys);
        all.add("spring.config.name=order-application");
        all.add("spring.main.banner-mode=off");
        all.add("server.port=0");
        all.add("tenon.backend=jdbc");
        all.add("spring.application.name=orders");
        all.add("tenon.transactions.automatic-undo=dataSource");
        return new SpringApplicationBuilder(OrderApplication.class)
                .properties(all.toArray(String[]::new))
                .run();
    }

    /** As Spring Boot's own, where there is spring-boot-restclient. */
    @Bean
    @Scope("prototype")
    RestClient.Builder restClientBuilder() {
        return RestClient.builder();
    }

    @Bean
    @Scope("prototype")
    WebClient.Builder webClientBuilder() {
        return WebClient.builder().clientConnector(new JdkClientHttpConnector());
    }

    @Bean
    WebClient stockByWebClient(WebClient.Builder builder, Environment keys) {
        return builder.baseUrl(keys.getRequiredProperty("tenon.transactions.services.stock"))
                .build();
    }

    @Bean
    RestTemplate restTemplate() {
        return new RestTemplate();
    }

    @Bean
    RestClient stock(RestClient.Builder builder, Environment keys) {
        return builder.baseUrl(keys.getRequiredProperty("tenon.transactions.services.stock"))
                .build();
    }

    static class OrderRows {
        private final JdbcTemplate jdbc;

        OrderRows(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Transactional
        public void add(int id, int pieces) {
            jdbc.update("INSERT INTO orders (id, pieces) VALUES (?, ?)", id, pieces);
        }

        public void addWithoutTransaction(int id, int pieces) {
            jdbc.update("INSERT INTO orders (id, pieces) VALUES (?, ?)", id, pieces);
        }

        @Transactional(readOnly = true)
        public int count() {
            Integer count = jdbc.queryForObject("SELECT COUNT(*) FROM orders", Integer.class);
            return count == null ? 0 : count;
        }
    }

    static class Orders {
        private final OrderRows rows;
        private final RestClient stock;
        private final WebClient web;
        private final RestTemplate template;
        private final String address;

        Orders(OrderRows rows, RestClient stock, WebClient web, RestTemplate template, Environment keys) {
            this.rows = rows;
            this.stock = stock;
            this.web = web;
            this.template = template;
            this.address = keys.getRequiredProperty("tenon.transactions.services.stock");
        }

        // tag::order[]
        @GlobalTransaction(timeout = "10s")
        public void order(int id, int pieces) {
            rows.add(id, pieces); // @Transactional, in the database of this service
            stock.post().uri("/stock/take/{pieces}", pieces).retrieve().toBodilessEntity();
            if (pieces > 10) {
                throw new IllegalArgumentException("nobody gets more than ten"); // both are undone
            }
        }
        // end::order[]

        @GlobalTransaction(timeout = "5s")
        public void orderAndThen(int id, int pieces, Runnable then) {
            rows.add(id, pieces);
            stock.post().uri("/stock/take/{pieces}", pieces).retrieve().toBodilessEntity();
            then.run();
        }

        @GlobalTransaction
        public void orderByOtherClients(boolean fails) {
            web.post().uri("/stock/take/2").retrieve().toBodilessEntity().block();
            template.postForObject(address + "/stock/take/3", "", String.class);
            if (fails) {
                throw new IllegalStateException("a mistake");
            }
        }

        @GlobalTransaction
        public void orderWhateverTheStockSays(int id, int pieces) {
            rows.add(id, pieces);
            try {
                stock.post().uri("/stock/take/{pieces}", pieces).retrieve().toBodilessEntity();
            } catch (RestClientException e) {
                // It goes on, and can't.
            }
        }

        @GlobalTransaction
        public void orderOnce(int id) {
            rows.addWithoutTransaction(id, 1);
            throw new IllegalStateException("a mistake");
        }

        @GlobalTransaction(rollbackFor = IOException.class, noRollbackFor = IllegalStateException.class)
        public void orderAndThrow(int id, Exception failure) throws Exception {
            rows.add(id, 1);
            throw failure;
        }

        @GlobalTransaction(readOnly = true)
        public int countAnd(Runnable then) {
            int count = rows.count();
            then.run();
            return count;
        }

        @GlobalTransaction(propagation = GlobalPropagation.NOT_SUPPORTED)
        public void orderOutside(int id) {
            rows.add(id, 1);
        }

        @GlobalTransaction
        public void inside(Runnable work) {
            work.run();
        }

        @Transactional
        public void inALocalOne(Runnable work) {
            work.run();
        }

        @GlobalTransaction
        @Transactional
        public void both(int id) {
            rows.add(id, 1);
            throw new IllegalStateException("a mistake");
        }
    }
}
