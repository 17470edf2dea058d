package dev.tenon.tx.xa;

import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;

/** MySQL by MariaDB's driver, and PostgreSQL. */
class MySqlByMariaDbDriverXaTest extends ServersXaScenario {
    @Override
    SqlAddress addressOfOne() {
        return MySqlServer.shared();
    }

    @Override
    Place placeOfOne(SqlAddress address, SqlAddress way) {
        return Place.mySqlByMariaDbDriver(address, way);
    }
}
