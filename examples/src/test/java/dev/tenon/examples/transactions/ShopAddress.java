package dev.tenon.examples.transactions;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.util.List;
import java.util.UUID;

/** Where an empty database is. */
public record ShopAddress(String name, String url, String user, String password) {
    /** One of each kind. */
    public static List<ShopAddress> all() {
        String h2 = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
        return List.of(new ShopAddress("h2", h2, "", ""), mariaDb(), mySql(), postgres());
    }

    static ShopAddress mariaDb() {
        return of("mariadb", MariaDbServer.shared());
    }

    static ShopAddress mySql() {
        return of("mysql", MySqlServer.shared());
    }

    static ShopAddress postgres() {
        return of("postgresql", PostgresServer.shared());
    }

    private static ShopAddress of(String name, SqlAddress address) {
        return new ShopAddress(name, address.url(), address.user(), address.password());
    }

    /** A process on it. */
    public ShopDatabase open() {
        return new ShopDatabase(url, user, password);
    }

    @Override
    public String toString() {
        return name;
    }
}
