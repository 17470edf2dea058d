package dev.tenon.examples;

import dev.tenon.id.IdLayout;
import dev.tenon.id.IdParts;
import dev.tenon.id.Lane;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.IdRange;
import java.time.Duration;
import java.time.Instant;

/** Both lanes of the Snowflake generator, several IDs at a time, layouts of one's own and when they end. */
public final class SnowflakeLanes {
    private SnowflakeLanes() {}

    /** Runs the example. */
    public static void main(String[] args) {
        striped();
        ranges();
        layouts();
    }

    private static void striped() {
        // tag::lanes[]
        SnowflakeGenerator strict = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(7));
        SnowflakeGenerator striped = SnowflakeGenerator.builder(IdLayout.twitter(), WorkerId.fixed(8))
                .lane(Lane.STRIPED) // each thread from a block of its own while IDs come fast
                .build();
        // end::lanes[]
        System.out.println("strict " + strict.nextId() + ", striped " + striped.nextId());

        // tag::borrow[]
        SnowflakeGenerator tuned = SnowflakeGenerator.builder(IdLayout.twitter(), WorkerId.fixed(9))
                .borrow(Duration.ofMillis(20)) // how far a burst may run ahead of the clock
                .tolerance(Duration.ofSeconds(2)) // how far the clock may be set back for calls to wait
                .warnAhead(Duration.ofDays(730)) // how early the log is told that the layout ends
                .build();
        // end::borrow[]
        System.out.println("tuned " + tuned.nextId());
    }

    private static void ranges() {
        SnowflakeGenerator ids = SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(10));
        // tag::range[]
        IdRange range = ids.nextRange(1000); // at least one, at most 1000, in one step
        for (long i = 0; i < range.count(); i++) {
            insert(range.first() + i * range.step());
        }
        // end::range[]
        System.out.println(range.count() + " IDs from " + range.first() + " on");
    }

    private static void layouts() {
        // tag::twitter[]
        IdLayout twitter = IdLayout.twitter();
        WorkerId worker = WorkerId.fixed(twitter.workerId(3, 17)); // datacenter 3, worker 17
        SnowflakeGenerator ids = SnowflakeGenerator.create(twitter, worker);
        IdParts parts = twitter.decode(ids.nextId());
        // end::twitter[]
        System.out.println("datacenter " + parts.datacenter() + ", worker " + parts.worker());

        // tag::sonyflake[]
        IdLayout sonyflake = IdLayout.builder()
                .unit(Duration.ofMillis(1)) // TimeUnit
                .timeBits(41)
                .sequenceBits(10) // BitsSequence
                .workerBits(12) // BitsMachineID
                .workerLast()
                .epoch(Instant.parse("2025-01-01T00:00:00Z")) // StartTime
                .build();
        // end::sonyflake[]
        System.out.println(sonyflake);

        // tag::baidu[]
        IdLayout old = IdLayout.baidu().withEpoch(Instant.parse("2016-05-19T16:00:00Z")); // 2016-05-20 in China
        System.out.println(old.expiryReport(Instant.now()));
        // end::baidu[]

        // tag::query[]
        long from = twitter.firstIdAt(Instant.parse("2026-01-01T00:00:00Z"));
        long to = twitter.firstIdAt(Instant.parse("2026-02-01T00:00:00Z"));
        String january = "SELECT * FROM orders WHERE id >= " + from + " AND id < " + to;
        // end::query[]
        System.out.println(january);
    }

    private static void insert(long id) {
        if (id <= 0) {
            throw new IllegalStateException("Not an ID: " + id);
        }
    }
}
