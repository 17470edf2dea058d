package dev.tenon.examples;

import dev.tenon.id.ChosenWorkerId;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerCensus;
import dev.tenon.id.WorkerId;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.jdbc.JdbcBackend;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The ways to a worker ID. Leased from a store, here an H2 database in memory: no two processes have the same, and a
 * restart, a kill or a clock that was set back repeats no ID. Chosen by whoever deploys the process: kept in a file,
 * checked against a store, or taken as it is.
 */
public final class WorkerIds {
    private static final IdLayout LAYOUT = IdLayout.twitter();

    private WorkerIds() {}

    /** Runs the example. */
    public static void main(String[] args) throws IOException {
        Path folder = Files.createTempDirectory("tenon-worker-ids");
        System.setProperty("idBuilder.index", "101"); // java -DidBuilder.index=101
        try (JdbcBackend database = JdbcBackend.connect("jdbc:h2:mem:workers")) {
            WorkerIdSource orders = database.workerIds("orders");
            leased(orders);
            chosen(orders, folder.resolve("worker-id"));
            remembered(orders, folder.resolve("last-worker-id"));
        }
    }

    private static void leased(WorkerIdSource orders) {
        IdLayout layout = LAYOUT;
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
            System.out.println(WorkerCensus.of(orders, layout)); // who holds which, since when, and how many are free
            // end::census[]
        }
    }

    private static void chosen(WorkerIdSource orders, Path file) {
        IdLayout layout = LAYOUT;
        // tag::chosen[]
        int number = ChosenWorkerId.configured("idBuilder.index", "ID_BUILDER_INDEX", layout);
        // or ChosenWorkerId.byStatefulSetOrdinal(layout), or ChosenWorkerId.byIpAddress(layout)
        // end::chosen[]
        // tag::file[]
        try (WorkerId worker = WorkerId.inFile(file, layout, number)) { // safe on one machine, without a store
            print(worker, SnowflakeGenerator.create(layout, worker));
        }
        // end::file[]
        // tag::wanted[]
        try (WorkerId worker = WorkerId.builder(orders, layout).wanted(number).lease()) { // or refused: somebody has it
            print(worker, SnowflakeGenerator.create(layout, worker));
            // end::wanted[]
            try (WorkerId second =
                    WorkerId.builder(orders, layout).wanted(number).lease()) {
                throw new AssertionError("Two have worker ID " + second.value());
            } catch (WorkerIdTakenException e) {
                System.out.println(e.getMessage());
            }
        }
        // tag::fixed[]
        try (WorkerId worker = WorkerId.fixed(number)) { // nobody checks it
            print(worker, SnowflakeGenerator.create(layout, worker));
        }
        // end::fixed[]
    }

    private static void remembered(WorkerIdSource orders, Path file) {
        IdLayout layout = LAYOUT;
        // tag::remembered[]
        try (WorkerId worker = WorkerId.builder(orders, layout).rememberIn(file).lease()) { // the same one as last time
            print(worker, SnowflakeGenerator.create(layout, worker));
        }
        // end::remembered[]
    }

    private static void print(WorkerId worker, SnowflakeGenerator ids) {
        System.out.println("Worker " + worker.value() + ": " + ids.nextId());
    }
}
