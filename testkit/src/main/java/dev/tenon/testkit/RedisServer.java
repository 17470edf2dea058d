package dev.tenon.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Redis server of this test's own, or one that all tests of this JVM share. Threads may share it. */
public final class RedisServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_REDIS";
    private static final String PROGRAM = "redis-server";
    private static final String SETTINGS = "redis.conf";
    private static final int DATABASES = 4096;
    private static final Once<RedisAddress> SHARED = new Once<>(RedisServer::openShared);

    private enum Log {
        NONE,
        WRITTEN,
        FLUSHED
    }

    private RedisServer(ServerRecipe recipe) {
        super(recipe);
    }

    /** A server that keeps everything in memory: after {@link #kill()} its data is gone. */
    public static RedisServer start() {
        return start(Log.NONE);
    }

    /** A server that writes each command to its log before it answers, without fsync: it survives {@link #kill()}. */
    public static RedisServer startLogged() {
        return start(Log.WRITTEN);
    }

    /** A server that has each command on disk (append-only file, fsync) before it answers. */
    public static RedisServer startDurable() {
        return start(Log.FLUSHED);
    }

    /** As {@link #startLogged()}, with a clock that a test can set: {@link #setClock}. Needs libfaketime. */
    public static RedisServer startWithClock() {
        return start(new FakedTime(recipe(Log.WRITTEN)));
    }

    /**
     * A new, empty database of a server that this JVM starts once and all of its tests share; or of the server that the
     * environment names in {@code TENON_TEST_REDIS} as {@code redis://host:port}. Channels are the whole server's, as
     * always in Redis.
     */
    public static RedisAddress shared() {
        return SHARED.value().newDatabase();
    }

    /** Its address, database 0. */
    public RedisAddress address() {
        return new RedisAddress(socket().getHostString(), socket().getPort(), 0);
    }

    private static RedisServer start(Log log) {
        return start(recipe(log));
    }

    private static ServerRecipe recipe(Log log) {
        List<String> options = new ArrayList<>(List.of("--databases", Integer.toString(DATABASES)));
        if (log != Log.NONE) {
            options.addAll(List.of("--appendonly", "yes", "--appendfsync", log == Log.FLUSHED ? "always" : "no"));
        }
        return new Recipe(options, List.of());
    }

    private static RedisServer start(ServerRecipe recipe) {
        RedisServer server = new RedisServer(recipe);
        server.startFirst();
        return server;
    }

    /**
     * A server that is to meet others: not in a container, as those that meet must reach each other by the addresses
     * that their clients use. Not started yet.
     *
     * @param settings lines of its settings file, which it may rewrite
     * @param options for the command line
     */
    static RedisServer ofGroup(List<String> settings, String... options) {
        if (Programs.onPath(PROGRAM).isEmpty()) {
            throw new IllegalStateException(
                    "no redis server here: run scripts/install-test-servers (as root on Debian or"
                            + " Ubuntu), or install redis-server; a group of servers can't do with containers");
        }
        return new RedisServer(new Recipe(List.of(options), settings));
    }

    /** Starts servers side by side; ends all of them if one does not come up. */
    static void startAll(List<RedisServer> servers) {
        try {
            sideBySide(servers, RedisServer::startFirst);
        } catch (RuntimeException e) {
            closeAll(servers);
            throw e;
        }
    }

    /** Kill -9, and no trace left: nothing of a group is worth an orderly end. */
    static void closeAll(List<RedisServer> servers) {
        sideBySide(servers, server -> {
            if (server.running()) {
                server.kill();
            }
            server.close();
        });
    }

    private static RedisAddress openShared() {
        String given = System.getenv(VARIABLE);
        if (given == null || given.isBlank()) {
            return start().address();
        }
        URI uri = URI.create(given.strip());
        if (!"redis".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalStateException(VARIABLE + " must be redis://host:port, not " + given);
        }
        return new RedisAddress(uri.getHost(), uri.getPort() < 0 ? 6379 : uri.getPort(), 0);
    }

    private record Recipe(List<String> options, List<String> settings) implements ServerRecipe {
        @Override
        public String name() {
            return "redis";
        }

        @Override
        public String toInstall() {
            return "redis-server (Debian: redis-server)";
        }

        @Override
        public Optional<Local> local() {
            return Programs.onPath(PROGRAM).map(binary -> new LocalCommands(binary, options, settings));
        }

        @Override
        public List<String> container() {
            List<String> run = new ArrayList<>(List.of("redis:7", PROGRAM, "--save", ""));
            run.addAll(options);
            return run;
        }

        @Override
        public int containerPort() {
            return 6379;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return RedisAddress.answersPing(address);
        }
    }

    private record LocalCommands(Path binary, List<String> options, List<String> settings)
            implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // Redis makes its other files itself.
            if (!settings.isEmpty()) {
                try {
                    Files.write(folder.resolve(SETTINGS), settings);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of(binary.toString()));
            if (!settings.isEmpty()) {
                command.add(folder.resolve(SETTINGS).toString());
            }
            command.addAll(List.of("--port", Integer.toString(port)));
            command.addAll(List.of("--bind", "127.0.0.1", "--dir", folder.toString(), "--save", ""));
            command.addAll(options);
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
