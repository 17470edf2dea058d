package dev.tenon.examples;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.jdbc.JdbcBackend;
import java.time.Duration;

/**
 * Numbers from a store, here an H2 database in memory: bought in segments, shuffled within a segment, or one by one.
 */
public final class SegmentIds {
    private SegmentIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        try (JdbcBackend database = JdbcBackend.connect("jdbc:h2:mem:segments")) {
            RangeStore ranges = database.ranges();
            // tag::segment[]
            try (SegmentGenerator orders = SegmentGenerator.create(ranges, "orders")) {
                long id = orders.nextId(); // 1, 2, 3 …: an atomic addition; the store is asked in the background
                System.out.println("Order " + id);
            }
            // end::segment[]

            // tag::policy[]
            SegmentPolicy patient = SegmentPolicy.DEFAULT.withTarget(Duration.ofMinutes(4)); // outlasts a fail-over
            try (SegmentGenerator coupons = SegmentGenerator.create(ranges, "coupons", patient);
                    ShuffledSegmentGenerator tickets = ShuffledSegmentGenerator.create(ranges, "tickets")) {
                System.out.println("Coupon " + coupons.nextId() + "; tickets, in no order that could be guessed: "
                        + tickets.nextId() + ", " + tickets.nextId() + ", " + tickets.nextId());
            }
            // end::policy[]

            // tag::peak[]
            // 20,000 IDs a second at most; the database may be away for a minute
            SegmentPolicy sized = SegmentPolicy.forPeak(20_000, Duration.ofSeconds(60));
            // end::peak[]
            System.out.println("Segments of " + sized.sizeMax() + " numbers");

            // tag::sequence[]
            SequenceGenerator invoices = SequenceGenerator.create(ranges, "invoices"); // contiguous: each call asks
            System.out.println("Invoices " + invoices.nextId() + ", " + invoices.nextId());
            // end::sequence[]
        }
    }
}
