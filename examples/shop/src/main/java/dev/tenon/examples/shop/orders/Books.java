package dev.tenon.examples.shop.orders;

import dev.tenon.examples.shop.wire.Services;
import dev.tenon.tx.TransactionFilter;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.message.Outbox;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The books of all services, and whether they fit together: what the page shows, and what the scripts wait for. */
@RestController
class Books {
    private static final int MANY = 100;

    private final JdbcTemplate jdbc;
    private final Transactions transactions;
    private final Outbox outbox;
    private final Services services;
    private final Addresses addresses;

    Books(JdbcTemplate jdbc, Transactions transactions, Outbox outbox, Services services, Addresses addresses) {
        this.jdbc = jdbc;
        this.transactions = transactions;
        this.outbox = outbox;
        this.services = services;
        this.addresses = addresses;
    }

    /** Where the others are. */
    @Component
    record Addresses(
            @Value("${shop.stock}") String stock,
            @Value("${shop.payment}") String payment,
            @Value("${shop.coupons}") String coupons) {}

    /**
     * What there is.
     *
     * @param settled nothing is under way any more; figures that don't fit before that are no mistake
     * @param mistakes what does not fit together
     */
    record All(
            Map<String, Long> orders,
            Map<String, Long> stock,
            Map<String, Long> wallets,
            Map<String, Long> coupons,
            boolean settled,
            List<String> mistakes) {}

    @GetMapping("/books")
    All books() {
        // Own ones first: what ends meanwhile is then in the others' already, and nothing looks settled that is not.
        Map<String, Long> orders = Map.of(
                "new", count("NEW"),
                "paid", count("PAID"),
                "cancelled", count("CANCELLED"),
                "underWay", underWay(),
                "messages", outbox.lag().isPresent() ? 1L : 0L,
                "deadMessages", (long) outbox.deadLetters(0, MANY).size());
        Map<String, Long> stock = services.books(addresses.stock() + "/books");
        Map<String, Long> wallets = services.books(addresses.payment() + "/books");
        Map<String, Long> coupons = services.books(addresses.coupons() + "/books");
        boolean settled = is(orders, "new", 0)
                && is(orders, "underWay", 0)
                && is(orders, "messages", 0)
                && stock.getOrDefault("ordersWithParcel", -1L) >= orders.getOrDefault("paid", 0L)
                && !stock.isEmpty()
                && !wallets.isEmpty()
                && !coupons.isEmpty();
        return new All(
                orders,
                stock,
                wallets,
                coupons,
                settled,
                settled ? mistakes(orders, stock, wallets, coupons) : List.of());
    }

    private long count(String status) {
        Long count = jdbc.queryForObject("select count(*) from orders where status = ?", Long.class, status);
        return count == null ? 0 : count;
    }

    private long underWay() {
        long open = 0;
        for (TransactionState state : TransactionState.values()) {
            if (!state.isFinal()) {
                TransactionFilter filter = TransactionFilter.ALL.in(state);
                open += transactions.list(filter, "", MANY).transactions().size();
            }
        }
        return open;
    }

    // tag::books[]
    private static List<String> mistakes(
            Map<String, Long> orders, Map<String, Long> stock, Map<String, Long> wallets, Map<String, Long> coupons) {
        long paid = orders.getOrDefault("paid", 0L);
        long spent = paid * (Checkout.PRICE - Checkout.DISCOUNT);
        long pieces = stock.getOrDefault("pieces", -1L);
        long deposit = wallets.getOrDefault("deposit", -1L);
        List<String> mistakes = new ArrayList<>();
        require(is(stock, "sold", paid), "a piece is sold for each order that is paid", mistakes);
        require(is(stock, "available", pieces - paid), "the others are on the shelf", mistakes);
        require(is(stock, "reserved", 0), "no piece stays reserved", mistakes);
        require(is(wallets, "spent", spent), "what is spent is what was paid", mistakes);
        require(is(wallets, "available", deposit - spent), "the rest is in the wallets", mistakes);
        require(is(wallets, "frozen", 0), "no money stays frozen", mistakes);
        require(is(coupons, "used", paid), "a coupon is used for each order that is paid", mistakes);
        require(is(stock, "parcels", paid), "a parcel is packed for each order that is paid", mistakes);
        require(is(stock, "ordersWithParcel", paid), "no order has two", mistakes);
        require(is(orders, "deadMessages", 0), "no message is given up", mistakes);
        return mistakes;
    }
    // end::books[]

    private static boolean is(Map<String, Long> book, String figure, long expected) {
        return book.getOrDefault(figure, -1L) == expected;
    }

    private static void require(boolean holds, String what, List<String> mistakes) {
        if (!holds) {
            mistakes.add("Not so: " + what);
        }
    }
}
