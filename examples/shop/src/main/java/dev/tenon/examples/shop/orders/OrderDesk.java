package dev.tenon.examples.shop.orders;

import dev.tenon.jackson.PublicId;
import dev.tenon.tx.Transactions;
import java.time.Duration;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** What customers see. */
@RestController
class OrderDesk {
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Checkout checkout;
    private final Transactions transactions;
    private final JdbcTemplate jdbc;

    OrderDesk(Checkout checkout, Transactions transactions, JdbcTemplate jdbc) {
        this.checkout = checkout;
        this.transactions = transactions;
        this.jdbc = jdbc;
    }

    record Wish(String user, String item) {}

    /** The table has a number; customers see {@code ord_…}, from which nobody reads how many orders there are. */
    record Order(@PublicId("order") long id, String status) {}

    // tag::desk[]
    @PostMapping("/orders")
    ResponseEntity<Order> take(@RequestBody Wish wish) throws InterruptedException {
        long id = checkout.take(wish.user(), wish.item());
        transactions.hurry(Checkout.gid(id)); // or else recovery finds it within a second
        transactions.await(Checkout.gid(id), PATIENCE); // most are done by then; the others can be asked for
        return find(id);
    }

    @GetMapping("/orders/{id}")
    ResponseEntity<Order> find(@PathVariable @PublicId("order") long id) {
        return jdbc
                .query(
                        "select status from orders where id = ?",
                        (row, number) -> new Order(id, row.getString("status")),
                        id)
                .stream()
                .findFirst()
                .map(ResponseEntity::ok)
                .orElseGet(() -> ResponseEntity.notFound().build());
    }
    // end::desk[]
}
