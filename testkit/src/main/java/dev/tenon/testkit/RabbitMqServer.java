package dev.tenon.testkit;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A RabbitMQ node of this test's own, with Erlang's port mapper of its own. User and password are {@code guest}. What
 * it has confirmed in a durable queue survives {@link #kill()}. Threads may share it.
 */
public final class RabbitMqServer extends TestServer {
    private RabbitMqServer() {
        super(new Recipe());
    }

    /** A node without queues. */
    public static RabbitMqServer start() {
        RabbitMqServer server = new RabbitMqServer();
        server.startFirst();
        return server;
    }

    /** As clients take it. */
    public String uri() {
        return "amqp://guest:guest@" + socket().getHostString() + ":" + socket().getPort();
    }

    private record Recipe() implements ServerRecipe {
        private static final String PROGRAM = "rabbitmq-server";
        /** Debian's program on the PATH would change the user. */
        private static final Path DEBIAN_ON_PATH = Path.of("/usr/sbin", PROGRAM);

        private static final Path DEBIAN = Path.of("/usr/lib/rabbitmq/bin", PROGRAM);

        @Override
        public String name() {
            return "rabbitmq";
        }

        @Override
        public String toInstall() {
            return "rabbitmq-server and epmd (Debian: rabbitmq-server)";
        }

        @Override
        public Optional<Local> local() {
            Optional<Path> program = Programs.onPath(PROGRAM)
                    .map(found -> found.equals(DEBIAN_ON_PATH) && Files.isExecutable(DEBIAN) ? DEBIAN : found);
            return program.filter(found -> Programs.onPath("epmd").isPresent())
                    .map(found -> new LocalCommands(
                            found,
                            TestPort.reserve().number(),
                            TestPort.reserve().number()));
        }

        @Override
        public List<String> container() {
            return List.of("rabbitmq:3.10");
        }

        @Override
        public int containerPort() {
            return 5672;
        }

        /** Says hello in AMQP 0-9-1; the answer is a method frame of channel 0. */
        @Override
        public boolean ready(InetSocketAddress address) {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(5_000);
                socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), 5_000);
                socket.getOutputStream().write(new byte[] {'A', 'M', 'Q', 'P', 0, 0, 9, 1});
                DataInputStream in = new DataInputStream(socket.getInputStream());
                return in.readByte() == 1 && in.readShort() == 0;
            } catch (IOException e) {
                return false;
            }
        }
    }

    private record LocalCommands(Path program, int mapperPort, int nodesPort) implements ServerRecipe.Local {
        private static final String SCRIPT = "rabbitmq.sh";

        @Override
        public void prepare(Path folder) {
            try (InputStream in = Objects.requireNonNull(RabbitMqServer.class.getResourceAsStream(SCRIPT))) {
                Files.copy(in, folder.resolve(SCRIPT));
                Files.write(folder.resolve("enabled_plugins"), List.of("[]."));
                Files.write(
                        folder.resolve("rabbitmq.conf"),
                        List.of("disk_free_limit.absolute = 1MB", "log.console = true", "log.file = false"));
                Files.write(folder.resolve("advanced.config"), List.of("[]."));
                Files.write(folder.resolve("env.conf"), List.of());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of("env"));
            command.add("HOME=" + folder);
            command.add("ERL_EPMD_PORT=" + mapperPort);
            command.add("ERL_EPMD_ADDRESS=127.0.0.1");
            command.add("RABBITMQ_NODENAME=tenon" + port + "@localhost");
            command.add("RABBITMQ_NODE_IP_ADDRESS=127.0.0.1");
            command.add("RABBITMQ_NODE_PORT=" + port);
            command.add("RABBITMQ_DIST_PORT=" + nodesPort);
            command.add("RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}");
            command.add("RABBITMQ_MNESIA_BASE=" + folder.resolve("data"));
            command.add("RABBITMQ_LOG_BASE=" + folder.resolve("logs"));
            command.add("RABBITMQ_LOGS=-");
            command.add("RABBITMQ_CONF_ENV_FILE=" + folder.resolve("env.conf"));
            command.add("RABBITMQ_CONFIG_FILE=" + folder.resolve("rabbitmq.conf"));
            command.add("RABBITMQ_ADVANCED_CONFIG_FILE=" + folder.resolve("advanced.config"));
            command.add("RABBITMQ_ENABLED_PLUGINS_FILE=" + folder.resolve("enabled_plugins"));
            command.addAll(List.of("sh", folder.resolve(SCRIPT).toString(), program.toString()));
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
