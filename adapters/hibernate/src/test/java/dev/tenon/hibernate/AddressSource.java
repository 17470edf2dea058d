package dev.tenon.hibernate;

import dev.tenon.testkit.SqlAddress;
import java.lang.reflect.Proxy;
import javax.sql.DataSource;

/** Connections to a server's database, each opened anew. */
final class AddressSource {
    private AddressSource() {}

    static DataSource of(SqlAddress at) {
        return (DataSource) Proxy.newProxyInstance(
                AddressSource.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "getConnection" -> at.connect();
                    case "isWrapperFor" -> false;
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    case "toString" -> at.url();
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
