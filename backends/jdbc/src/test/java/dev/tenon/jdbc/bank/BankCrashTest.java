package dev.tenon.jdbc.bank;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.crash.CrashPoints;
import dev.tenon.testkit.crash.CrashReport;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that moves money is crashed before and after each statement, commit and call; so is its recovery. Whatever
 * the mode, money is neither made nor lost, everything ends, and what its user was told is true.
 */
class BankCrashTest {
    @Tag("soak")
    @Nested
    class OnMariaDb extends OnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.mariaDb(MariaDbServer.shared());
        }

        @Override
        int shares() {
            return 3;
        }
    }

    @Tag("soak")
    @Nested
    class OnMySql extends OnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.mySql(MySqlServer.shared());
        }

        @Override
        int shares() {
            return 3;
        }

        @Override
        int share() {
            return 2;
        }
    }

    @Tag("soak")
    @Nested
    class OnPostgres extends OnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.postgres(PostgresServer.shared());
        }

        @Override
        int shares() {
            return 3;
        }

        @Override
        int share() {
            return 1;
        }
    }

    @Nested
    class OnH2 extends OnDatabase {
        @Override
        BankDatabase open() {
            return BankDatabase.h2();
        }

        /** H2 rolls a prepared branch back with its connection, and a crash breaks that: {@code XaOnH2Test}. */
        @Override
        Set<BankMode> modes() {
            return EnumSet.complementOf(EnumSet.of(BankMode.XA));
        }
    }

    /**
     * Two databases and one crash inside recovery; {@code -Dtenon.bank.databases=3} is for three, and every pair of
     * crashes.
     */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class OnDatabase {
        private static final int DATABASES = Integer.getInteger("tenon.bank.databases", 2);

        private final List<BankDatabase> databases = new ArrayList<>();

        abstract BankDatabase open();

        Set<BankMode> modes() {
            return EnumSet.allOf(BankMode.class);
        }

        /** Among how many databases the second crashes are shared: MariaDB, MySQL and PostgreSQL do. */
        int shares() {
            return 1;
        }

        int share() {
            return 0;
        }

        @BeforeAll
        void makeDatabases() throws SQLException {
            for (int i = 0; i < DATABASES; i++) {
                databases.add(open().prepared());
            }
        }

        @AfterAll
        void closeDatabases() throws SQLException {
            for (BankDatabase database : databases) {
                database.close();
            }
        }

        @ParameterizedTest
        @MethodSource("modes")
        void moneyIsNeitherMadeNorLostWhereverAProcessCrashes(BankMode mode) {
            CrashPoints points = CrashPoints.of(mode.in(databases));
            CrashReport report = DATABASES > 2 ? points.everywhereTwice() : points.everywhere(share(), shares());
            assertThat(report.points()).hasSizeGreaterThan(10);
            assertThat(report.recoveryPoints()).hasSizeGreaterThan(5 / shares());
        }
    }
}
