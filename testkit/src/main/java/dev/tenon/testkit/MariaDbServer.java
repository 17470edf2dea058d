package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A MariaDB server of this test's own, or one that all tests of this JVM share. Threads may share it. */
public final class MariaDbServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_MARIADB";
    private static final String USER = "root";
    private static final String PASSWORD = "tenon";
    private static final Once<SqlAddress> SHARED =
            new Once<>(() -> SqlAddress.fromEnvironment(VARIABLE, () -> start().address()));

    private MariaDbServer(ServerRecipe recipe) {
        super(recipe);
    }

    /**
     * A server whose commits survive {@link #kill()}, but not the fall of the machine: nothing is flushed to the disk.
     */
    public static MariaDbServer start() {
        return start(false);
    }

    /** A server that flushes each commit to the disk before it answers. */
    public static MariaDbServer startDurable() {
        return start(true);
    }

    /** As {@link #start()}, with a clock that a test can set: {@link #setClock}. Needs libfaketime. */
    public static MariaDbServer startWithClock() {
        return start(new FakedTime(new Recipe(false)));
    }

    /**
     * A new, empty database of a server that this JVM starts once and all of its tests share; or of the server that the
     * environment names in {@code TENON_TEST_MARIADB} as {@code jdbc:mariadb://host:port/database} (with
     * {@code TENON_TEST_MARIADB_USER} and {@code _PASSWORD}, both {@code tenon} unless set).
     */
    public static SqlAddress shared() {
        return SHARED.value().newDatabase();
    }

    /**
     * Its address; the database is the server's own {@code mysql}: make another with {@link SqlAddress#newDatabase}.
     */
    public SqlAddress address() {
        return new SqlAddress("jdbc:mariadb://127.0.0.1:" + socket().getPort() + "/mysql", USER, PASSWORD);
    }

    /**
     * The server speaks first, and so does MySQL: protocol version 10 stands behind the four bytes of the packet's
     * head.
     */
    static boolean greets(InetSocketAddress address) {
        try (Socket socket = new Socket(address.getHostString(), address.getPort())) {
            socket.setSoTimeout(2_000);
            byte[] head = socket.getInputStream().readNBytes(5);
            return head.length == 5 && head[4] == 10;
        } catch (IOException e) {
            return false;
        }
    }

    private static MariaDbServer start(boolean durable) {
        return start(new Recipe(durable));
    }

    private static MariaDbServer start(ServerRecipe recipe) {
        MariaDbServer server = new MariaDbServer(recipe);
        server.startFirst();
        return server;
    }

    private record Recipe(boolean durable) implements ServerRecipe {
        @Override
        public String name() {
            return "mariadb";
        }

        @Override
        public String toInstall() {
            return "mariadbd (Debian: mariadb-server)";
        }

        @Override
        public Optional<Local> local() {
            Optional<Path> server = Programs.onPath("mariadbd", "mysqld");
            Optional<Path> install = Programs.onPath("mariadb-install-db", "mysql_install_db");
            return server.isEmpty() || install.isEmpty()
                    ? Optional.empty()
                    : Optional.of(new LocalCommands(server.get(), install.get(), options()));
        }

        private List<String> options() {
            List<String> options = new ArrayList<>(List.of("--skip-name-resolve", "--max-connections=300"));
            options.addAll(
                    List.of("--innodb-buffer-pool-size=64M", "--performance-schema=OFF", "--innodb-fast-shutdown=1"));
            options.addAll(List.of("--character-set-server=utf8mb4", "--collation-server=utf8mb4_bin"));
            options.addAll(
                    durable
                            ? List.of("--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=fsync")
                            : List.of(
                                    "--innodb-flush-log-at-trx-commit=2",
                                    "--innodb-flush-method=nosync",
                                    "--sync-frm=0"));
            return options;
        }

        @Override
        public List<String> container() {
            List<String> run = new ArrayList<>(List.of("-e", "MARIADB_ROOT_PASSWORD=" + PASSWORD));
            run.addAll(List.of("-e", "MARIADB_ROOT_HOST=%", "mariadb:11"));
            run.addAll(options());
            return run;
        }

        @Override
        public int containerPort() {
            return 3306;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return greets(address);
        }
    }

    private record LocalCommands(Path binary, Path install, List<String> options) implements ServerRecipe.Local {
        private static final List<String> AS_ROOT =
                "root".equals(System.getProperty("user.name")) ? List.of("--user=root") : List.of();

        private static final List<String> INSTALL =
                List.of("--skip-test-db", "--auth-root-authentication-method=normal", "--innodb-log-file-size=16M");

        /** Small files that come and go with many statements; they need not be on a disk. */
        private static final Path MEMORY = Path.of("/dev/shm");

        private static Path temporary(Path folder) {
            return folder.resolve("tmp");
        }

        private static void makeTemporary(Path folder) throws IOException {
            if (!Files.isDirectory(MEMORY) || !Files.isWritable(MEMORY)) {
                Files.createDirectory(temporary(folder));
                return;
            }
            Path inMemory = Files.createTempDirectory(MEMORY, "tenon-test-");
            Files.writeString(folder.resolve(Guard.CLEANUP), "rm -rf '" + inMemory + "'\n");
            Files.createSymbolicLink(temporary(folder), inMemory);
        }

        @Override
        public void prepare(Path folder) {
            try {
                makeTemporary(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            Path data = folder.resolve("data");
            SharedData.ofThisBuild().provide(folder, data, binary, INSTALL, () -> install(folder, data));
            try {
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
            List<String> command = new ArrayList<>(List.of(install.toString(), "--no-defaults"));
            command.addAll(AS_ROOT);
            // In a temporary folder that servers share, one has been seen to stumble over the tables of another.
            command.addAll(List.of("--datadir=" + data, "--tmpdir=" + temporary(folder)));
            command.addAll(INSTALL);
            LocalHost.run(folder, command);
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of(binary.toString(), "--no-defaults"));
            command.addAll(AS_ROOT);
            command.addAll(List.of("--datadir=" + folder.resolve("data"), "--init-file=" + folder.resolve("init.sql")));
            command.addAll(List.of("--port=" + port, "--bind-address=127.0.0.1", "--socket=s.sock"));
            command.addAll(List.of("--pid-file=s.pid", "--innodb-log-file-size=16M", "--tmpdir=" + temporary(folder)));
            command.addAll(options);
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
