// tag::application[]
package com.example.shop;

import dev.tenon.id.IdGenerator;
import dev.tenon.spring.Locked;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class ShopApplication {
    public static void main(String[] args) {
        SpringApplication.run(ShopApplication.class, args);
    }

    @Service
    static class Stock {
        private final JdbcTemplate jdbc;
        private final IdGenerator order;

        Stock(JdbcTemplate jdbc, IdGenerator order) { // tenon.ids.order: the bean has the name of the parameter
            this.jdbc = jdbc;
            this.order = order;
        }

        @Transactional
        @Locked(key = "'stock:' + #item") // one at a time, on all machines; given back after the commit
        public String sell(String item) {
            int left = jdbc.queryForObject("select pieces from stock where item = ?", Integer.class, item);
            if (left == 0) {
                return "sold out";
            }
            long id = order.nextId();
            jdbc.update("update stock set pieces = ? where item = ?", left - 1, item);
            jdbc.update("insert into orders values (?, ?)", id, item);
            return "order " + id;
        }
    }

    @RestController
    record Desk(Stock stock) {
        @PostMapping("/sell/{item}")
        String sell(@PathVariable String item) {
            return stock.sell(item);
        }
    }
}
// end::application[]
