package dev.tenon.tx.xa;

import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;

/** MySQL by its own driver, and PostgreSQL. */
class MySqlPostgresXaTest extends ServersXaScenario {
    @Override
    SqlAddress addressOfOne() {
        return MySqlServer.shared();
    }

    @Override
    Place placeOfOne(SqlAddress address, SqlAddress way) {
        return Place.mySql(address, way);
    }
}
