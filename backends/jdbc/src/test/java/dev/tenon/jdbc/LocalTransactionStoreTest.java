package dev.tenon.jdbc;

import org.junit.jupiter.api.Nested;

/** The log of transactions as part of local transactions, on every database. */
class LocalTransactionStoreTest {
    @Nested
    class OnH2 extends LocalTransactionScenario {
        OnH2() {
            super(SqlPlace.h2());
        }
    }

    @Nested
    class OnMariaDb extends LocalTransactionScenario {
        OnMariaDb() {
            super(SqlPlace.mariaDb());
        }
    }

    @Nested
    class OnMySql extends LocalTransactionScenario {
        OnMySql() {
            super(SqlPlace.mySql());
        }
    }

    @Nested
    class OnPostgres extends LocalTransactionScenario {
        OnPostgres() {
            super(SqlPlace.postgres());
        }
    }
}
