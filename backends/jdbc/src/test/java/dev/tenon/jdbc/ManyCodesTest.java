package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.builder.IdBuilderOptions;
import dev.tenon.id.builder.LocalIdBuilder;
import dev.tenon.testkit.BuilderConfigStoreContract.Row;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A thousand names in a process, over a database. */
class ManyCodesTest {
    private static final int CODES = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final SegmentPolicy PATIENT = SegmentPolicy.ofStep(20).withWaitMax(PATIENCE);
    private static final IdBuilderOptions OPTIONS = IdBuilderOptions.DEFAULT.withPolicy(PATIENT);

    private final SqlAddress address = PostgresServer.shared();

    private Connection connect() throws Exception {
        return DriverManager.getConnection(address.url(), address.user(), address.password());
    }

    private JdbcBackend backend() {
        return JdbcBackend.connect(address.url(), address.user(), address.password());
    }

    private BuilderTable table(JdbcBackend backend) throws Exception {
        backend.createIdBuilderTable();
        return new BuilderTable(connect());
    }

    private static long fetching() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("tenon-segments-")
                        || thread.getName().startsWith("tenon-id-builder"))
                .count();
    }

    @Test
    void aThousandCodesAreAtHandAfterTheStartAndKeepNoThread() throws Exception {
        try (JdbcBackend backend = backend();
                BuilderTable table = table(backend)) {
            for (int code = 1; code <= CODES; code++) {
                table.put(new Row(code, 100L, 20, "", code % 2));
            }
            try (LocalIdBuilder ids = LocalIdBuilder.create(backend.builderConfigs(), OPTIONS)) {
                assertThat(fetching()).isLessThanOrEqualTo(64);
                for (int code = 1; code <= CODES; code++) {
                    assertThat(ids.left(code)).isEqualTo(20);
                }
                await().atMost(PATIENCE).until(() -> fetching() == 0);
                for (int code = 1; code <= CODES; code++) {
                    long id = code % 2 == 0 ? ids.unionSeqId(code) : ids.unionId(code);
                    assertThat(id).isBetween(100L, 119L);
                }
                assertThat(fetching()).as("nothing was fetched for these").isZero();
            }
        }
    }

    @Test
    void aRowThatSomebodyLocksHoldsUpNoOtherCode() throws Exception {
        try (JdbcBackend backend = backend();
                BuilderTable table = table(backend);
                Connection locking = connect()) {
            for (int code = 1; code <= 100; code++) {
                table.put(new Row(code, 100L, 20, "", 0));
            }
            locking.setAutoCommit(false);
            locking.createStatement().execute("SELECT 1 FROM t_id_builder_config WHERE id = 50 FOR UPDATE");
            try (LocalIdBuilder ids = LocalIdBuilder.create(
                    backend.builderConfigs(), OPTIONS.withPolicy(PATIENT.withWaitMax(Duration.ofSeconds(2))))) {
                for (int code = 1; code <= 100; code++) {
                    if (code != 50) {
                        assertThat(ids.unionSeqId(code)).isEqualTo(100);
                    }
                }
                locking.rollback();
                await().atMost(PATIENCE).until(() -> ids.left(50) == 20);
            }
        }
    }

    @Test
    void aThousandSegmentsOfTenonsOwnTableShareThreadsToo() throws Exception {
        try (JdbcBackend backend = backend()) {
            List<SegmentGenerator> names = new ArrayList<>();
            for (int i = 0; i < CODES; i++) {
                names.add(SegmentGenerator.create(backend.ranges(), "name-" + i, PATIENT));
            }
            List<CompletableFuture<Void>> callers = new ArrayList<>();
            for (int caller = 0; caller < 8; caller++) {
                int mine = caller;
                callers.add(CompletableFuture.runAsync(() -> {
                    for (int i = mine; i < CODES; i += 8) {
                        for (int id = 1; id <= 30; id++) {
                            assertThat(names.get(i).nextId()).isEqualTo(id);
                        }
                    }
                }));
            }
            CompletableFuture.allOf(callers.toArray(new CompletableFuture<?>[0]))
                    .get(5, TimeUnit.MINUTES);
            assertThat(fetching()).isLessThanOrEqualTo(64);
            await().atMost(PATIENCE).until(() -> fetching() == 0);
            names.forEach(SegmentGenerator::close);
        }
    }
}
