package dev.tenon.examples;

import dev.tenon.id.IdLayout;
import dev.tenon.id.IdParts;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;

/** Snowflake IDs without any store: the worker ID is the deployer's to choose, a different one for each process. */
public final class QuickStartIds {
    private QuickStartIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        // tag::snowflake[]
        IdLayout layout = IdLayout.twitter(); // 41 bits of milliseconds, 10 of worker, 12 of sequence
        SnowflakeGenerator ids = SnowflakeGenerator.create(layout, WorkerId.fixed(7));
        long id = ids.nextId(); // strictly increasing, from any thread
        IdParts parts = layout.decode(id);
        // end::snowflake[]
        System.out.println(id + " was made by worker " + parts.workerId() + " at " + parts.time());

        // tag::fill[]
        long[] batch = new long[1000];
        ids.fill(batch);
        // end::fill[]
        System.out.println("and " + batch.length + " more, up to " + batch[batch.length - 1]);
    }
}
