package dev.tenon.examples;

import com.mysql.cj.jdbc.MysqlXADataSource;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import dev.tenon.tx.xa.XaDatabases;
import dev.tenon.tx.xa.XaTransaction;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.xa.PGXADataSource;

/**
 * Money goes from one database to another: both change, or neither does. With six arguments (URL, user and password of
 * a MariaDB or MySQL, then of a PostgreSQL) on these; without, on two H2 in memory.
 */
public final class XaTransfer {
    private XaTransfer() {}

    /** A database of accounts, by its two doors. */
    private record Bank(JdbcBackend backend, XADataSource source, String url, String user, String password) {
        Connection connect() throws SQLException {
            return DriverManager.getConnection(url, user, password);
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws SQLException {
        boolean servers = args.length == 6;
        Bank giro = servers ? innoDb(args[0], args[1], args[2]) : h2("jdbc:h2:mem:giro;DB_CLOSE_DELAY=-1");
        Bank savings = servers ? postgres(args[3], args[4], args[5]) : h2("jdbc:h2:mem:savings;DB_CLOSE_DELAY=-1");
        open(giro);
        open(savings);
        try (giro.backend;
                savings.backend) {
            run(giro, savings);
        }
    }

    private static Bank innoDb(String url, String user, String password) throws SQLException {
        return url.startsWith("jdbc:mysql:") ? mySql(url, user, password) : mariaDb(url, user, password);
    }

    private static void run(Bank giro, Bank savings) throws SQLException {
        // tag::setup[]
        try (XaDatabases databases = XaDatabases.of(Map.of(
                        "giro", XaDatabase.of(giro.source, giro.backend.barrierStore()),
                        "savings", XaDatabase.of(savings.source, savings.backend.barrierStore())));
                Transactions transactions = TransactionEngine.over(
                                giro.backend.transactions(), // the log
                                databases, // who is called in recovery
                                TransactionOptions.DEFAULT.withService("bank"))
                        .start();
                Xa xa = Xa.over(transactions, databases).start()) {
            // end::setup[]
            transfer(xa, 30);
            tell(giro, savings);
            try {
                transfer(xa, 1000);
            } catch (SQLException e) {
                System.out.println("Not enough there, so nothing came here");
            }
            tell(giro, savings);
            withLastResource(xa, giro, 20);
            tell(giro, savings);
        }
    }

    // tag::transfer[]
    private static void transfer(Xa xa, int amount) throws SQLException {
        try (XaTransaction tx = xa.begin()) {
            add(tx.connection("savings"), amount);
            add(tx.connection("giro"), -amount);
            tx.commit();
        } // not committed, such as after an exception: rolled back
    }
    // end::transfer[]

    // tag::last[]
    private static void withLastResource(Xa xa, Bank giro, int amount) throws SQLException {
        try (Connection own = giro.connect()) { // of the database that has the log
            own.setAutoCommit(false);
            try (XaTransaction tx = xa.begin(own)) {
                add(own, -amount);
                add(tx.connection("savings"), amount);
                tx.commit(); // commits own, with the decision in it, and then savings
            }
        }
    }
    // end::last[]

    private static void add(Connection connection, int amount) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("UPDATE account SET balance = balance + ? WHERE id = 1")) {
            statement.setInt(1, amount);
            statement.executeUpdate();
        }
    }

    private static void open(Bank bank) throws SQLException {
        try (Connection connection = bank.connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT CHECK (balance >= 0))");
            statement.execute("INSERT INTO account VALUES (1, 100)");
        }
    }

    private static void tell(Bank giro, Bank savings) throws SQLException {
        System.out.println("giro " + balance(giro) + ", savings " + balance(savings));
    }

    private static int balance(Bank bank) throws SQLException {
        try (Connection connection = bank.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
            rows.next();
            return rows.getInt(1);
        }
    }

    // tag::sources[]
    private static Bank mariaDb(String url, String user, String password) throws SQLException {
        MariaDbDataSource source = new MariaDbDataSource(url);
        source.setUser(user);
        source.setPassword(password);
        return new Bank(JdbcBackend.connect(url, user, password), source, url, user, password);
    }

    private static Bank mySql(String url, String user, String password) {
        MysqlXADataSource source = new MysqlXADataSource();
        source.setUrl(url);
        source.setUser(user);
        source.setPassword(password);
        return new Bank(JdbcBackend.connect(url, user, password), source, url, user, password);
    }

    private static Bank postgres(String url, String user, String password) {
        PGXADataSource source = new PGXADataSource();
        source.setUrl(url);
        source.setUser(user);
        source.setPassword(password);
        return new Bank(JdbcBackend.connect(url, user, password), source, url, user, password);
    }
    // end::sources[]

    private static Bank h2(String url) {
        JdbcDataSource source = new JdbcDataSource();
        source.setUrl(url);
        source.setUser("");
        source.setPassword("");
        return new Bank(JdbcBackend.connect(url), source, url, "", "");
    }
}
