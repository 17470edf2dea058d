package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A Redis server of this test's own, or one that all tests of this JVM share. Threads may share it. */
public final class RedisServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_REDIS";
    private static final int DATABASES = 4096;
    private static final Once<RedisAddress> SHARED = new Once<>(RedisServer::openShared);

    private RedisServer(boolean durable) {
        super(new Recipe(durable));
    }

    /** A server that keeps everything in memory: after {@link #kill()} its data is gone. */
    public static RedisServer start() {
        return start(false);
    }

    /** A server that has each command on disk (append-only file, fsync) before it answers. */
    public static RedisServer startDurable() {
        return start(true);
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

    private static RedisServer start(boolean durable) {
        RedisServer server = new RedisServer(durable);
        server.startFirst();
        return server;
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

    private record Recipe(boolean durable) implements ServerRecipe {
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
            Optional<Path> binary = Programs.onPath("redis-server");
            return binary.isEmpty() ? Optional.empty() : Optional.of(new LocalCommands(binary.get(), options()));
        }

        private List<String> options() {
            List<String> options = new ArrayList<>(List.of("--save", "", "--databases", Integer.toString(DATABASES)));
            if (durable) {
                options.addAll(List.of("--appendonly", "yes", "--appendfsync", "always"));
            }
            return options;
        }

        @Override
        public List<String> container() {
            List<String> run = new ArrayList<>(List.of("redis:7", "redis-server"));
            run.addAll(options());
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

    private record LocalCommands(Path binary, List<String> options) implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // Redis makes its files itself.
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of(binary.toString(), "--port", Integer.toString(port)));
            command.addAll(List.of("--bind", "127.0.0.1", "--dir", folder.toString()));
            command.addAll(options);
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
