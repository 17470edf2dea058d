package dev.tenon.jdbc.bank;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.crash.CrashPoints;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** {@code kill -9} of a JVM that stands before and after each of its durable steps; another one recovers. */
@Tag("soak")
class BankKillTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    /** So that the connections of those who have stopped are fewer than a server gives. */
    private static final int POINTS_OF_A_JVM = 40;

    /** One mode on each; {@code -Dtenon.bank.all=true} is for all of them. */
    @ParameterizedTest
    @MethodSource("places")
    void moneyIsNeitherMadeNorLostWhereverAJvmIsKilled(Supplier<List<SqlAddress>> servers, BankMode mode)
            throws Exception {
        killAtEachPoint(mode, servers.get());
    }

    static Stream<Arguments> places() {
        Named<Supplier<List<SqlAddress>>> postgres =
                Named.of("PostgreSQL", () -> List.of(PostgresServer.shared(), PostgresServer.shared()));
        Named<Supplier<List<SqlAddress>>> mariaDb =
                Named.of("MariaDB", () -> List.of(MariaDbServer.shared(), MariaDbServer.shared()));
        Named<Supplier<List<SqlAddress>>> mySql =
                Named.of("MySQL", () -> List.of(MySqlServer.shared(), MySqlServer.shared()));
        Named<Supplier<List<SqlAddress>>> both =
                Named.of("PostgreSQL and MariaDB", () -> List.of(PostgresServer.shared(), MariaDbServer.shared()));
        if (!Boolean.getBoolean("tenon.bank.all")) {
            return Stream.of(
                    Arguments.of(postgres, BankMode.TCC),
                    Arguments.of(mariaDb, BankMode.SAGA),
                    Arguments.of(mySql, BankMode.XA),
                    Arguments.of(both, BankMode.AT));
        }
        return Stream.of(BankMode.values())
                .flatMap(mode -> Stream.of(postgres, mariaDb, mySql, both).map(place -> Arguments.of(place, mode)));
    }

    private static void killAtEachPoint(BankMode mode, List<SqlAddress> addresses) throws Exception {
        List<BankDatabase> databases = new ArrayList<>();
        List<String> args = new ArrayList<>(List.of(mode.name()));
        for (SqlAddress address : addresses) {
            databases.add(BankProcess.open(address).prepared());
            args.addAll(List.of(address.url(), address.user(), address.password()));
        }
        CrashPoints bank = CrashPoints.of(mode.in(databases));
        List<String> points = bank.list();
        assertThat(points).hasSizeGreaterThan(10);
        for (int from = 0; from < points.size(); from += POINTS_OF_A_JVM) {
            int to = Math.min(points.size(), from + POINTS_OF_A_JVM);
            try (ForkedJvm jvm = ForkedJvm.start(BankProcess.class, args.toArray(String[]::new))) {
                List<String> wanted = new ArrayList<>();
                for (int i = from; i < to; i++) {
                    bank.prepare("kill" + i);
                    jvm.send("kill" + i + " " + points.get(i));
                    wanted.add("there kill" + i);
                }
                Awaitility.await()
                        .atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(jvm.lines()).as(jvm::errors).containsAll(wanted));
                jvm.kill();
            }
        }
        long beganNanos = System.nanoTime();
        for (int i = 0; i < points.size(); i++) {
            bank.recover("kill" + i);
        }
        Duration took = Duration.ofNanos(System.nanoTime() - beganNanos);
        System.out.printf(
                "%s: killed at %d points; everything had ended after %.1f s%n",
                mode, points.size(), took.toMillis() / 1000.0);
        for (BankDatabase database : databases) {
            database.close();
        }
    }
}
