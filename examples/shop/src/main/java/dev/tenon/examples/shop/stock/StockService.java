package dev.tenon.examples.shop.stock;

import dev.tenon.examples.shop.wire.BranchRequest;
import dev.tenon.examples.shop.wire.LocalBranch;
import dev.tenon.examples.shop.wire.Services;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The stock service. */
@SpringBootApplication(proxyBeanMethods = false)
@Import(LocalBranch.class)
public final class StockService {
    /** Starts it; settings as {@code --key=value}. */
    public static void main(String[] args) {
        new SpringApplicationBuilder(StockService.class)
                .properties("spring.config.name=stock")
                .run(args);
    }

    @RestController
    static final class Desk {
        private final Shelf shelf;
        private final Parcels parcels;
        private final JdbcTemplate jdbc;

        Desk(Shelf shelf, Parcels parcels, JdbcTemplate jdbc) {
            this.shelf = shelf;
            this.parcels = parcels;
            this.jdbc = jdbc;
        }

        @PostMapping("/branches/stock")
        ResponseEntity<String> stock(@RequestBody BranchRequest request) {
            return LocalBranch.answer(
                    switch (request.operation()) {
                        case "try" -> shelf.reserve(request.payload(), request.call());
                        case "confirm" -> shelf.sell(request.payload(), request.call());
                        default -> shelf.putBack(request.payload(), request.call());
                    });
        }

        @PostMapping("/messages")
        ResponseEntity<String> message(@RequestBody Services.Letter letter) {
            return LocalBranch.answer(parcels.pack(letter.message()));
        }

        @GetMapping("/books")
        Map<String, Object> books() {
            Map<String, Object> books = new TreeMap<>(jdbc.queryForMap("""
                    select sum(pieces) as pieces, sum(available) as available, sum(reserved) as reserved, sum(sold) as sold from stock
                    """));
            books.putAll(jdbc.queryForMap(
                    "select count(*) as parcels, count(distinct order_id) as ordersWithParcel from parcel"));
            return books;
        }
    }
}
