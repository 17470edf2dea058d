package dev.tenon.jdbc;

import org.junit.jupiter.api.Nested;

/** The barrier on every database. */
class BarrierStoreTest {
    @Nested
    class OnH2 extends BarrierScenario {
        OnH2() {
            super(SqlPlace.h2());
        }
    }

    @Nested
    class OnMariaDb extends BarrierScenario {
        OnMariaDb() {
            super(SqlPlace.mariaDb());
        }
    }

    @Nested
    class OnMariaDbWithSnapshots extends BarrierScenario {
        OnMariaDbWithSnapshots() {
            super(SqlPlace.mariaDbWithSnapshots());
        }
    }

    @Nested
    class OnMySql extends BarrierScenario {
        OnMySql() {
            super(SqlPlace.mySql());
        }
    }

    @Nested
    class OnPostgres extends BarrierScenario {
        OnPostgres() {
            super(SqlPlace.postgres());
        }
    }
}
