package dev.tenon.jdbc;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.util.Properties;
import java.util.UUID;

/** Two backends on one new database, as two processes would have them. */
final class TwoBackends implements AutoCloseable {
    private final JdbcBackend one;
    private final JdbcBackend other;

    private TwoBackends(JdbcBackend one, JdbcBackend other) {
        this.one = one;
        this.other = other;
    }

    static TwoBackends onH2() {
        return onH2("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
    }

    static TwoBackends onH2(String url) {
        return new TwoBackends(JdbcBackend.connect(url), JdbcBackend.connect(url));
    }

    static TwoBackends onMariaDb() {
        return on(MariaDbServer.shared());
    }

    static TwoBackends onMySql() {
        return on(MySqlServer.shared());
    }

    static TwoBackends onPostgres() {
        return on(PostgresServer.shared());
    }

    static TwoBackends on(SqlAddress at) {
        return new TwoBackends(connect(at), connect(at));
    }

    static JdbcBackend connect(SqlAddress at) {
        return JdbcBackend.connect(at.url(), at.user(), at.password());
    }

    /** A backend that does without what only this database understands. */
    static JdbcBackend connectPlain(SqlAddress at) {
        Properties credentials = new Properties();
        credentials.setProperty("user", at.user());
        credentials.setProperty("password", at.password());
        return JdbcBackend.connect(at.url(), credentials, JdbcOptions.DEFAULT, true);
    }

    JdbcBackend one() {
        return one;
    }

    JdbcBackend other() {
        return other;
    }

    @Override
    public void close() {
        one.close();
        other.close();
    }
}
