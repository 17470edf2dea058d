package dev.tenon.server.metered;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.testkit.OutboxOperationsContract;
import dev.tenon.tx.spi.OutboxOperations;
import dev.tenon.tx.spi.OutboxStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** {@link MeteredOutboxOperations}: the operations of an outbox, metered, are operations as any other. */
class MeteredOutboxOperationsTest extends OutboxOperationsContract {
    private static final String URL = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

    private static JdbcBackend one;
    private static JdbcBackend other;

    @BeforeAll
    static void open() {
        one = JdbcBackend.connect(URL, "sa", "");
        other = JdbcBackend.connect(URL, "sa", "");
    }

    @AfterAll
    static void close() {
        one.close();
        other.close();
    }

    @Override
    protected OutboxStore store() {
        return one.outbox();
    }

    /** The other process's, with metered operations. */
    @Override
    protected OutboxStore otherStore() {
        OutboxStore store = other.outbox();
        OutboxOperations metered = new MeteredOutboxOperations(store.operations(), Timed.part("outbox"));
        return (OutboxStore) Proxy.newProxyInstance(
                OutboxStore.class.getClassLoader(), new Class<?>[] {OutboxStore.class}, (proxy, method, given) -> {
                    try {
                        return method.getName().equals("operations") ? metered : method.invoke(store, given);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    protected Connection connect() throws SQLException {
        return DriverManager.getConnection(URL, "sa", "");
    }
}
