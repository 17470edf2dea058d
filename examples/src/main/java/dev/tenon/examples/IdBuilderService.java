package dev.tenon.examples;

import dev.tenon.id.builder.IdBuilder;
import dev.tenon.id.builder.IdBuilderOptions;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.jdbc.JdbcBackend;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The ID-builder service in a process: numbers by code out of its table, here in an H2 database in memory. */
public final class IdBuilderService {
    private static final String URL = "jdbc:h2:mem:id-builder;DB_CLOSE_DELAY=-1";

    private IdBuilderService() {}

    /** Runs the example. */
    public static void main(String[] args) throws SQLException {
        try (JdbcBackend database = JdbcBackend.connect(URL)) {
            // tag::table[]
            database.createIdBuilderTable(); // only where there is none: one that is there works as it is
            int step = IdBuilder.stepForPeak(100); // 100 IDs a second at the peak, for four fail-overs of a minute
            // end::table[]
            define(1, "order_", step);

            // tag::ids[]
            try (LocalIdBuilder ids = LocalIdBuilder.create(database.builderConfigs())) {
                long order = ids.unionId(1); // in no order that could be guessed
                long message = ids.unionSeqId(1); // the next one
                System.out.println("Order " + order + ", message " + message);
            }
            // end::ids[]

            // tag::texts[]
            // Instead of an option: java -DidBuilder.index=1001
            IdBuilderOptions options = IdBuilderOptions.DEFAULT.withMachineIndex(1001);
            try (LocalIdBuilder ids = LocalIdBuilder.create(database.builderConfigs(), options)) {
                System.out.println("Orders " + ids.unionIdStr(1) + " and " + ids.unionSeqIdStr(1)); // order_1001…
            }
            // end::texts[]
        }
    }

    private static void define(int code, String prefix, int step) throws SQLException {
        try (Connection connection = DriverManager.getConnection(URL);
                Statement statement = connection.createStatement()) {
            statement.execute(
                    "INSERT INTO t_id_builder_config (id, des, init_num, current_threshold, step, biz_code, is_seq)"
                            + " VALUES (" + code + ", 'orders', 10000, 10000, " + step + ", '" + prefix + "', 1)");
        }
    }
}
