package dev.tenon.shardingsphere;

import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Over two databases of a MySQL. */
class MySqlShardingSphereTest extends ShardingScenario {
    private final List<SqlAddress> addresses = List.of(MySqlServer.shared(), MySqlServer.shared());

    @Override
    List<Connection> connect() throws SQLException {
        List<Connection> open = new ArrayList<>();
        for (SqlAddress address : addresses) {
            open.add(address.connect());
        }
        return open;
    }

    @Override
    String over(String yaml) {
        String text = yaml;
        for (int i = 0; i < addresses.size(); i++) {
            SqlAddress address = addresses.get(i);
            text = text.replace(
                    "jdbcUrl: jdbc:h2:mem:shop_" + i + "\n    username: sa",
                    "jdbcUrl: " + address.url() + "\n    username: " + address.user() + "\n    password: "
                            + address.password());
        }
        return text;
    }
}
