package dev.tenon.server;

import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.NginxServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Servers with machine indexes 1001, 1002, … over one database, behind the nginx that the docs show. */
final class IdBuilderFleet implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Path PAGE = Path.of("../docs/ids/id-builder.md");
    private static final Pattern BLOCK = Pattern.compile("```nginx\n(.*?)```", Pattern.DOTALL);
    private static final Pattern SERVER = Pattern.compile("server 10\\.0\\.0\\.(\\d):7700 .*");

    private final SqlAddress database;
    private final List<TestPort> ports = new ArrayList<>();
    private final List<ServerProcess> servers = new ArrayList<>();
    private final NginxServer nginx;
    private final TestClient client;

    private IdBuilderFleet(SqlAddress database, int size) {
        this.database = database;
        for (int i = 0; i < size; i++) {
            ports.add(TestPort.reserve());
        }
        List<CompletableFuture<ServerProcess>> starting = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            int index = i;
            starting.add(CompletableFuture.supplyAsync(() -> launch(index)));
        }
        starting.forEach(each -> servers.add(each.join()));
        this.nginx = NginxServer.start(configuration());
        this.client = new TestClient(nginx.socket().getPort());
        await().atMost(START_LIMIT)
                .until(() -> client.fetch("/id-builder/increase-id?code=0").status() == 404);
    }

    /** Makes the table, and starts everything. */
    static IdBuilderFleet start(SqlAddress database, int size) {
        IdBuilderTableTest.createTable(store(database));
        return new IdBuilderFleet(database, size);
    }

    private static StoreLocation store(SqlAddress database) {
        return new StoreLocation(database.url(), Optional.of(database.user()), Optional.of(database.password()));
    }

    private ServerProcess launch(int index) {
        return ServerProcess.start(
                store(database), ports.get(index).number(), "-DidBuilder.index=" + (1001 + index), "-XX:+UseSerialGC");
    }

    private String configuration() {
        try {
            Matcher block = BLOCK.matcher(Files.readString(PAGE));
            if (!block.find()) {
                throw new IllegalStateException("no nginx block in " + PAGE);
            }
            return SERVER.matcher(block.group(1)).replaceAll(server -> {
                int index = Integer.parseInt(server.group(1)) - 1;
                return index >= ports.size()
                        ? ""
                        : server.group()
                                .replaceFirst(
                                        "10.*:7700",
                                        "127.0.0.1:" + ports.get(index).number());
            });
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    /** Through nginx. */
    TestClient client() {
        return client;
    }

    /** Past nginx. */
    TestClient client(int index) {
        return servers.get(index).client();
    }

    int size() {
        return servers.size();
    }

    /** Kill -9. */
    void kill(int index) {
        servers.get(index).close();
    }

    void restart(int index) {
        servers.set(index, launch(index));
    }

    void define(int code, long threshold, int step, String bizCode) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(IdBuilderTableTest.row(code, threshold, step, bizCode));
        }
    }

    long threshold(int code) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT current_threshold FROM t_id_builder_config WHERE id = " + code)) {
            row.next();
            return row.getLong(1);
        }
    }

    String log() {
        return nginx.log();
    }

    @Override
    public void close() {
        nginx.close();
        servers.forEach(ServerProcess::close);
        ports.forEach(TestPort::close);
    }
}
