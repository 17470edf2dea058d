package dev.tenon.testkit;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A PostgreSQL server of this test's own, or one that all tests of this JVM share. Threads may share it. */
public final class PostgresServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_POSTGRES";
    private static final String USER = "tenon";
    private static final Once<SqlAddress> SHARED =
            new Once<>(() -> SqlAddress.fromEnvironment(VARIABLE, () -> start().address()));

    private PostgresServer(ServerRecipe recipe) {
        super(recipe);
    }

    /**
     * A server whose commits survive {@link #kill()}, but not the fall of the machine: nothing is flushed to the disk.
     */
    public static PostgresServer start() {
        return start(false);
    }

    /** A server that flushes each commit to the disk before it answers. */
    public static PostgresServer startDurable() {
        return start(true);
    }

    /** As {@link #start()}, with a clock that a test can set: {@link #setClock}. Needs libfaketime. */
    public static PostgresServer startWithClock() {
        return start(new FakedTime(new Recipe(false)));
    }

    /**
     * A new, empty database of a server that this JVM starts once and all of its tests share; or of the server that the
     * environment names in {@code TENON_TEST_POSTGRES} as {@code jdbc:postgresql://host:port/database} (with
     * {@code TENON_TEST_POSTGRES_USER} and {@code _PASSWORD}, both {@code tenon} unless set).
     */
    public static SqlAddress shared() {
        return SHARED.value().newDatabase();
    }

    /**
     * Its address; the database is the server's own {@code postgres}: make another with {@link SqlAddress#newDatabase}.
     */
    public SqlAddress address() {
        return new SqlAddress("jdbc:postgresql://127.0.0.1:" + socket().getPort() + "/postgres", USER, USER);
    }

    private static PostgresServer start(boolean durable) {
        return start(new Recipe(durable));
    }

    private static PostgresServer start(ServerRecipe recipe) {
        PostgresServer server = new PostgresServer(recipe);
        server.startFirst();
        return server;
    }

    private record Recipe(boolean durable) implements ServerRecipe {
        @Override
        public String name() {
            return "postgresql";
        }

        @Override
        public String toInstall() {
            return "initdb and postgres (Debian: postgresql)";
        }

        @Override
        public Optional<Local> local() {
            Optional<Path> binaries = Programs.postgresFolder();
            return binaries.isEmpty() ? Optional.empty() : Optional.of(new LocalCommands(binaries.get(), options()));
        }

        private List<String> options() {
            List<String> options = new ArrayList<>();
            List<String> settings = new ArrayList<>(List.of("max_connections=200", "max_prepared_transactions=200"));
            settings.addAll(List.of("shared_buffers=32MB", "log_min_messages=warning"));
            if (!durable) {
                settings.addAll(List.of("fsync=off", "full_page_writes=off"));
            }
            settings.forEach(setting -> options.addAll(List.of("-c", setting)));
            return options;
        }

        @Override
        public List<String> container() {
            List<String> run =
                    new ArrayList<>(List.of("-e", "POSTGRES_USER=" + USER, "-e", "POSTGRES_PASSWORD=" + USER));
            run.addAll(List.of("-e", "POSTGRES_DB=postgres", "postgres:16"));
            run.addAll(options());
            return run;
        }

        @Override
        public int containerPort() {
            return 5432;
        }

        /** A start-up packet is answered with an authentication request (R) once the server takes sessions. */
        @Override
        public boolean ready(InetSocketAddress address) {
            try (Socket socket = new Socket(address.getHostString(), address.getPort())) {
                socket.setSoTimeout(2_000);
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                body.writeBytes(("user\0" + USER + "\0database\0postgres\0\0").getBytes(StandardCharsets.US_ASCII));
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                ByteArrayOutputStream packet = new ByteArrayOutputStream();
                try (DataOutputStream head = new DataOutputStream(packet)) {
                    head.writeInt(8 + body.size());
                    head.writeInt(3 << 16);
                    body.writeTo(head);
                }
                out.write(packet.toByteArray());
                return socket.getInputStream().read() == 'R';
            } catch (IOException e) {
                return false;
            }
        }
    }

    private record LocalCommands(Path binaries, List<String> options) implements ServerRecipe.Local {
        private static final List<String> INIT =
                List.of("-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C");

        @Override
        public void prepare(Path folder) {
            Path data = folder.resolve("data");
            try {
                Files.createDirectory(data);
                if (isRoot()) {
                    Files.setOwner(data, ordinaryUser(data));
                }
                List<String> command = new ArrayList<>(asOrdinaryUser(data));
                command.addAll(List.of(binaries.resolve("initdb").toString(), "-D", data.toString()));
                command.addAll(INIT);
                // The zone of the machine becomes a setting.
                List<String> decisive = new ArrayList<>(INIT);
                decisive.add(ZoneId.systemDefault().getId());
                SharedData.ofThisBuild()
                        .provide(
                                folder,
                                data,
                                binaries.resolve("postgres"),
                                decisive,
                                () -> LocalHost.run(folder, command));
                // Killed, it leaves a small segment of shared memory behind, whose number is on this file's 7th line.
                Files.writeString(folder.resolve(Guard.CLEANUP), """
                        pid=${0%/*}/data/postmaster.pid
                        [ ! -f "$pid" ] || ipcrm -m "$(sed -n '7s/.* //p' "$pid")" || true
                        """);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            Path data = folder.resolve("data");
            try {
                List<String> command = new ArrayList<>(asOrdinaryUser(data));
                command.addAll(List.of(binaries.resolve("postgres").toString(), "-D", data.toString()));
                command.addAll(List.of("-p", Integer.toString(port), "-h", "127.0.0.1"));
                // Nothing outside of the data folder, which is all that is removed in the end.
                command.addAll(List.of("-c", "unix_socket_directories=", "-c", "dynamic_shared_memory_type=mmap"));
                command.addAll(options);
                return command;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Fast shutdown: sessions are ended, transactions rolled back. */
        @Override
        public String stopSignal() {
            return "INT";
        }

        private static boolean isRoot() {
            return "root".equals(System.getProperty("user.name"));
        }

        private static UserPrincipal ordinaryUser(Path anyFile) throws IOException {
            var users = anyFile.getFileSystem().getUserPrincipalLookupService();
            try {
                return users.lookupPrincipalByName("postgres");
            } catch (UserPrincipalNotFoundException e) {
                return users.lookupPrincipalByName("nobody");
            }
        }

        /** PostgreSQL refuses to run as root. */
        private static List<String> asOrdinaryUser(Path data) throws IOException {
            if (!isRoot()) {
                return List.of();
            }
            String user = Files.getOwner(data).getName();
            Optional<Path> setpriv = Programs.onPath("setpriv");
            if (setpriv.isPresent()) {
                return List.of(setpriv.get().toString(), "--reuid=" + user, "--clear-groups", "--");
            }
            Path runuser = Programs.onPath("runuser")
                    .orElseThrow(() -> new IllegalStateException(
                            "PostgreSQL refuses to run as root: install util-linux (setpriv), or run as another user"));
            return List.of(runuser.toString(), "-u", user, "--");
        }
    }
}
