package dev.tenon.testkit;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Kafka of one node (broker and controller, KRaft) of this test's own. It is a JVM that runs the server of the test's
 * own class path: {@code org.apache.kafka:kafka_2.13}. Topics are not made by asking for them. What it has acknowledged
 * survives {@link #kill()}. Threads may share it.
 */
public final class KafkaServer extends TestServer {
    private KafkaServer() {
        super(new Recipe());
    }

    /** A server without topics. */
    public static KafkaServer start() {
        KafkaServer server = new KafkaServer();
        server.startFirst();
        return server;
    }

    /** As clients take it: {@code bootstrap.servers}. */
    public String bootstrap() {
        return socket().getHostString() + ":" + socket().getPort();
    }

    private record Recipe() implements ServerRecipe {
        private static final String MAIN = "kafka.Kafka";

        @Override
        public String name() {
            return "kafka";
        }

        @Override
        public String toInstall() {
            return "nothing, but put org.apache.kafka:kafka_2.13 on the class path of the test";
        }

        @Override
        public Optional<Local> local() {
            if (Recipe.class.getClassLoader().getResource(MAIN.replace('.', '/') + ".class") == null) {
                throw new IllegalStateException("no Kafka server here: install " + toInstall());
            }
            return Optional.of(new LocalCommands(TestPort.reserve().number()));
        }

        @Override
        public List<String> container() {
            throw new IllegalStateException("a Kafka server in a container can't tell its clients its address");
        }

        @Override
        public int containerPort() {
            return 9092;
        }

        /** Asks which versions of the protocol it speaks, as every client does first. */
        @Override
        public boolean ready(InetSocketAddress address) {
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(5_000);
                socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), 5_000);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeInt(10);
                out.writeShort(18);
                out.writeShort(0);
                out.writeInt(7);
                out.writeShort(-1);
                out.flush();
                DataInputStream in = new DataInputStream(socket.getInputStream());
                return in.readInt() > 6 && in.readInt() == 7 && in.readShort() == 0;
            } catch (IOException e) {
                return false;
            }
        }
    }

    private record LocalCommands(int controllerPort) implements ServerRecipe.Local {
        /** What its own formatter would write, which takes a JVM of its own. */
        @Override
        public void prepare(Path folder) {
            Path data = folder.resolve("data");
            try {
                Files.createDirectory(data);
                Files.write(
                        data.resolve("meta.properties"),
                        List.of(
                                "version=1",
                                "cluster.id=dGVub24tdGVzdC1rYWZrYQ",
                                "node.id=1",
                                "directory.id=dGVub24tZGlyZWN0b3J5cw"));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            String clients = "CLIENTS://127.0.0.1:" + port;
            List<String> configuration = List.of(
                    "process.roles=broker,controller",
                    "node.id=1",
                    "controller.quorum.voters=1@127.0.0.1:" + controllerPort,
                    "listeners=" + clients + ",CONTROLLER://127.0.0.1:" + controllerPort,
                    "advertised.listeners=" + clients,
                    "listener.security.protocol.map=CLIENTS:PLAINTEXT,CONTROLLER:PLAINTEXT",
                    "inter.broker.listener.name=CLIENTS",
                    "controller.listener.names=CONTROLLER",
                    "log.dirs=" + folder.resolve("data"),
                    "auto.create.topics.enable=false",
                    "num.partitions=2",
                    "default.replication.factor=1",
                    "offsets.topic.replication.factor=1",
                    "offsets.topic.num.partitions=1",
                    "transaction.state.log.replication.factor=1",
                    "transaction.state.log.min.isr=1",
                    "group.initial.rebalance.delay.ms=0",
                    // After a kill, a broker comes back when its old session is over.
                    "broker.session.timeout.ms=3000",
                    "broker.heartbeat.interval.ms=300",
                    "group.min.session.timeout.ms=1000",
                    "num.network.threads=1",
                    "num.io.threads=2",
                    "background.threads=2",
                    "log.cleaner.enable=false");
            Path file = folder.resolve("server.properties");
            try {
                Files.write(file, configuration);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), Recipe.MAIN, file.toString()));
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
