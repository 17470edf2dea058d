package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A MySQL server of this test's own, or one that all tests of this JVM share. Threads may share it. */
public final class MySqlServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_MYSQL";
    private static final String USER = "root";
    private static final String PASSWORD = "tenon";

    /** Plain TCP, on which the drivers give no password away unless told that they may ask for the server's key. */
    private static final String OPTIONS = "?sslMode=DISABLED&allowPublicKeyRetrieval=true";

    /** By this option MariaDB's driver takes the URL, too. */
    private static final String OF_EITHER_DRIVER = "&permitMysqlScheme=true";

    private static final Once<SqlAddress> SHARED =
            new Once<>(() -> SqlAddress.fromEnvironment(VARIABLE, () -> start().address()));

    private MySqlServer(ServerRecipe recipe) {
        super(recipe);
    }

    /**
     * A server whose commits survive {@link #kill()}, but not the fall of the machine: nothing is flushed to the disk.
     */
    public static MySqlServer start() {
        return start(false);
    }

    /** A server that flushes each commit to the disk before it answers. */
    public static MySqlServer startDurable() {
        return start(true);
    }

    /** As {@link #start()}, with a clock that a test can set: {@link #setClock}. Needs libfaketime. */
    public static MySqlServer startWithClock() {
        return start(new FakedTime(new Recipe(false)));
    }

    /**
     * A new, empty database of a server that this JVM starts once and all of its tests share; or of the server that the
     * environment names in {@code TENON_TEST_MYSQL} as {@code jdbc:mysql://host:port/database} (with
     * {@code TENON_TEST_MYSQL_USER} and {@code _PASSWORD}, both {@code tenon} unless set).
     */
    public static SqlAddress shared() {
        return SHARED.value().newDatabase();
    }

    /**
     * Its address; the database is the server's own {@code mysql}: make another with {@link SqlAddress#newDatabase}.
     */
    public SqlAddress address() {
        return new SqlAddress("jdbc:mysql://127.0.0.1:" + socket().getPort() + "/mysql" + options(), USER, PASSWORD);
    }

    /**
     * Oracle's driver where it is on the class path, and else MariaDB's: which of the two takes a URL is for the JVM to
     * choose.
     */
    private static String options() {
        try {
            Class.forName("com.mysql.cj.jdbc.Driver");
            return OPTIONS;
        } catch (ClassNotFoundException e) {
            return OPTIONS + OF_EITHER_DRIVER;
        }
    }

    private static MySqlServer start(boolean durable) {
        return start(new Recipe(durable));
    }

    private static MySqlServer start(ServerRecipe recipe) {
        MySqlServer server = new MySqlServer(recipe);
        server.startFirst();
        return server;
    }

    private record Recipe(boolean durable) implements ServerRecipe {
        @Override
        public String name() {
            return "mysql";
        }

        @Override
        public String toInstall() {
            return "mysqld of MySQL (scripts/install-test-servers unpacks one)";
        }

        @Override
        public Optional<Local> local() {
            return Programs.mySql().map(server -> new LocalCommands(server, options()));
        }

        private List<String> options() {
            List<String> options = new ArrayList<>(List.of("--skip-name-resolve", "--max-connections=300"));
            // A test that looks whether the server is there says nothing to it, which counts as an error of its host's.
            options.addAll(List.of("--max-connect-errors=1000000", "--mysqlx=OFF", "--performance-schema=OFF"));
            options.addAll(List.of("--innodb-buffer-pool-size=64M", "--innodb-redo-log-capacity=16M"));
            options.addAll(
                    durable
                            ? List.of("--innodb-flush-log-at-trx-commit=1", "--sync-binlog=1")
                            : List.of(
                                    "--innodb-flush-log-at-trx-commit=2",
                                    "--innodb-flush-method=nosync",
                                    "--innodb-doublewrite=OFF",
                                    "--sync-binlog=0"));
            return options;
        }

        @Override
        public List<String> container() {
            List<String> run = new ArrayList<>(List.of("-e", "MYSQL_ROOT_PASSWORD=" + PASSWORD));
            run.addAll(List.of("-e", "MYSQL_ROOT_HOST=%", "mysql:9"));
            run.addAll(options());
            return run;
        }

        @Override
        public int containerPort() {
            return 3306;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return MariaDbServer.greets(address);
        }
    }

    private record LocalCommands(Path binary, List<String> options) implements ServerRecipe.Local {
        private static final List<String> AS_ROOT =
                "root".equals(System.getProperty("user.name")) ? List.of("--user=root") : List.of();

        private static final List<String> INSTALL =
                List.of("--initialize-insecure", "--innodb-redo-log-capacity=16M", "--innodb-flush-method=nosync");

        @Override
        public void prepare(Path folder) {
            Path data = folder.resolve("data");
            SharedData.ofThisBuild().provide(folder, data, binary, INSTALL, () -> install(folder, data));
            try {
                // Each server has an identity of its own, as replicas have: a copied one would be its original.
                Files.deleteIfExists(data.resolve("auto.cnf"));
                Files.createDirectories(folder.resolve("tmp"));
                Files.writeString(folder.resolve("init.sql"), """
                        CREATE USER IF NOT EXISTS '%1$s'@'127.0.0.1';
                        ALTER USER '%1$s'@'127.0.0.1' IDENTIFIED BY '%2$s';
                        GRANT ALL PRIVILEGES ON *.* TO '%1$s'@'127.0.0.1' WITH GRANT OPTION;
                        """.formatted(USER, PASSWORD));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private void install(Path folder, Path data) {
            List<String> command = new ArrayList<>(List.of(binary.toString(), "--no-defaults"));
            command.addAll(AS_ROOT);
            command.add("--datadir=" + data);
            command.addAll(INSTALL);
            LocalHost.run(folder, command);
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of(binary.toString(), "--no-defaults"));
            command.addAll(AS_ROOT);
            command.addAll(List.of("--datadir=" + folder.resolve("data"), "--init-file=" + folder.resolve("init.sql")));
            command.addAll(List.of("--port=" + port, "--bind-address=127.0.0.1", "--tmpdir=" + folder.resolve("tmp")));
            command.addAll(List.of("--socket=" + folder.resolve("s.sock"), "--pid-file=" + folder.resolve("s.pid")));
            // A package has a folder of its own for it, which may be missing.
            command.add("--secure-file-priv=");
            command.addAll(options);
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
