package dev.tenon.tx.xa;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.SqlAddress;

/** MariaDB and PostgreSQL. */
class MariaDbPostgresXaTest extends ServersXaScenario {
    @Override
    SqlAddress addressOfOne() {
        return MariaDbServer.shared();
    }

    @Override
    Place placeOfOne(SqlAddress address, SqlAddress way) {
        return Place.mariaDb(address, way);
    }
}
