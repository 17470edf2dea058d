package dev.tenon.examples;

import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.jdbc.JdbcBackend;

/**
 * Worker IDs leased from a store, here an H2 database in memory: no two processes have the same, and a restart, a kill or a
 * clock that was set back repeats no ID.
 */
public final class WorkerIds {
    private WorkerIds() {}

    /** Runs the example. */
    public static void main(String[] args) {
        try (JdbcBackend database = JdbcBackend.connect("jdbc:h2:mem:workers")) {
            WorkerIdSource orders = database.workerIds("orders");
            IdLayout layout = IdLayout.twitter();
            // tag::worker[]
            try (WorkerId worker = WorkerId.lease(orders, layout)) {
                SnowflakeGenerator ids = SnowflakeGenerator.create(layout, worker);
                print(worker, ids);
            } // given back here; a process that dies keeps it until its lease ends
            // end::worker[]
            try (WorkerId one = WorkerId.lease(orders, layout);
                    WorkerId other = WorkerId.lease(orders, layout)) {
                print(one, SnowflakeGenerator.create(layout, one));
                print(other, SnowflakeGenerator.create(layout, other));
                // tag::census[]
                orders.census().forEach(System.out::println); // who holds which, and for how long
                // end::census[]
            }
        }
    }

    private static void print(WorkerId worker, SnowflakeGenerator ids) {
        System.out.println("Worker " + worker.value() + ": " + ids.nextId());
    }
}
