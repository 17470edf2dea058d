package dev.tenon.spring.shop;

import dev.tenon.id.IdGenerator;
import dev.tenon.jackson.PublicId;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.LeaderOnly;
import dev.tenon.spring.Locked;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** A shop with one item, as a user of the starter writes it: docs/spring/README.md shows parts of it. */
@SpringBootApplication
@EnableScheduling
public class Shop {
    /** Starts it. */
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    // tag::json[]
    /** The database has a number, the outside sees {@code ord_2EFawSzpJANfj}. */
    record Order(
            @PublicId("order") long id,
            String item,
            @PublicId("order") List<Long> together) {}
    // end::json[]

    record Sale(String item) {}

    // tag::locked[]
    @Service
    static class Stock {
        private final JdbcTemplate jdbc;
        private final IdGenerator order;
        private final CurrentLease lease;

        Stock(JdbcTemplate jdbc, IdGenerator order, CurrentLease lease) {
            this.jdbc = jdbc;
            this.order = order; // tenon.ids.order: the bean has the name of the parameter
            this.lease = lease;
        }

        @Transactional
        @Locked(key = "'stock:' + #item", waitAtMost = "2s")
        public long sell(String item) {
            Integer left = jdbc.queryForObject("select pieces from stock where item = ?", Integer.class, item);
            if (left == null || left == 0) {
                throw new SoldOut();
            }
            long id = order.nextId();
            jdbc.update("update stock set pieces = ? where item = ?", left - 1, item);
            jdbc.update("insert into orders values (?, ?, ?)", id, item, lease.token());
            return id;
        }
    }
    // end::locked[]

    // tag::leader[]
    @Service
    static class Report {
        private final JdbcTemplate jdbc;

        Report(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Scheduled(fixedDelay = 100)
        @LeaderOnly("report")
        public void write() {
            jdbc.update("update report set orders = (select count(*) from orders)");
        }
    }
    // end::leader[]

    @RestController
    static class Orders {
        private final Stock stock;
        private final JdbcTemplate jdbc;

        Orders(Stock stock, JdbcTemplate jdbc) {
            this.stock = stock;
            this.jdbc = jdbc;
        }

        @PostMapping("/orders")
        Order sell(@RequestBody Sale sale) {
            long id = stock.sell(sale.item());
            return new Order(id, sale.item(), List.of(id));
        }

        // tag::mvc[]
        @GetMapping("/orders/{id}")
        Order find(@PathVariable @PublicId("order") long id) {
            String item = jdbc.queryForObject("select item from orders where id = ?", String.class, id);
            return new Order(id, item, List.of());
        }
        // end::mvc[]

        @GetMapping("/item")
        String item(@RequestParam @PublicId("order") Long id) {
            return jdbc.queryForObject("select item from orders where id = ?", String.class, id);
        }

        @PostMapping("/echo")
        List<Long> echo(@RequestBody Order order) {
            return List.of(order.id(), order.together().get(0));
        }

        @GetMapping("/thread")
        String thread() {
            return Thread.currentThread().toString();
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.CONFLICT)
        String soldOut(SoldOut nothingLeft) {
            return "sold out";
        }
    }

    static class SoldOut extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }
}
