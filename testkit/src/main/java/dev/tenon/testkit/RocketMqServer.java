package dev.tenon.testkit;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A RocketMQ name server and one broker of this test's own, in one JVM that runs them from the test's own class path:
 * {@code org.apache.rocketmq:rocketmq-namesrv}, {@code rocketmq-broker} and {@code rocketmq-rocksdb}. Topics are not
 * made by sending to them. It checks half messages twice a second, from one second after they were sent. What it has
 * acknowledged survives {@link #kill()}. Threads may share it.
 */
public final class RocketMqServer extends TestServer {
    private static final String NAME = "tenon-test";

    private final Recipe recipe;

    private RocketMqServer(Recipe recipe) {
        super(recipe);
        this.recipe = recipe;
    }

    /** A server without topics. */
    public static RocketMqServer start() {
        RocketMqServer server = new RocketMqServer(new Recipe(Recipe.twoPorts()));
        server.startFirst();
        return server;
    }

    /** The address of the name server, as clients take it. */
    public String nameServers() {
        return socket().getHostString() + ":" + socket().getPort();
    }

    /** The address of the broker, as tools take it. */
    public String broker() {
        return socket().getHostString() + ":" + recipe.brokerPort();
    }

    private record Recipe(int brokerPort) implements ServerRecipe {
        private static final String BROKER = "org.apache.rocketmq.broker.BrokerStartup";

        /** A broker listens on its port, and on the one that is two below. */
        static int twoPorts() {
            while (true) {
                TestPort port = TestPort.reserve();
                Optional<TestPort> below = TestPort.reserve(port.number() - 2);
                if (below.isPresent()) {
                    return port.number();
                }
                port.close();
            }
        }

        @Override
        public String name() {
            return "rocketmq";
        }

        @Override
        public String toInstall() {
            return "nothing, but put org.apache.rocketmq:rocketmq-namesrv, rocketmq-broker and rocketmq-rocksdb on the class path of"
                    + " the test";
        }

        @Override
        public Optional<Local> local() {
            if (Recipe.class.getClassLoader().getResource(BROKER.replace('.', '/') + ".class") == null) {
                throw new IllegalStateException("no RocketMQ server here: install " + toInstall());
            }
            return Optional.of(new LocalCommands(brokerPort, TestPort.reserve().number()));
        }

        @Override
        public List<String> container() {
            throw new IllegalStateException("a RocketMQ broker in a container can't tell its clients its address");
        }

        @Override
        public int containerPort() {
            return 9876;
        }

        /** Asks the name server for the brokers that it knows: ours, once that is up. */
        @Override
        public boolean ready(InetSocketAddress address) {
            byte[] header = "{\"code\":106,\"flag\":0,\"language\":\"JAVA\",\"opaque\":1,\"version\":0}"
                    .getBytes(StandardCharsets.UTF_8);
            try (Socket socket = new Socket()) {
                socket.setSoTimeout(5_000);
                socket.connect(new InetSocketAddress(address.getHostString(), address.getPort()), 5_000);
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                out.writeInt(4 + header.length);
                out.writeInt(header.length);
                out.write(header);
                out.flush();
                DataInputStream in = new DataInputStream(socket.getInputStream());
                String answer = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
                return answer.contains("127.0.0.1:" + brokerPort);
            } catch (IOException e) {
                return false;
            }
        }
    }

    private record LocalCommands(int brokerPort, int replicationPort) implements ServerRecipe.Local {
        private static final String LOGGING = "rocketmq.xml";

        @Override
        public void prepare(Path folder) {
            try (InputStream in = Objects.requireNonNull(RocketMqServer.class.getResourceAsStream(LOGGING))) {
                Files.createDirectory(folder.resolve("store"));
                Files.copy(in, folder.resolve(LOGGING));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> names = List.of(
                    "listenPort=" + port,
                    "bindAddress=127.0.0.1",
                    "kvConfigPath=" + folder.resolve("names.json"),
                    "configStorePath=" + folder.resolve("names.conf"));
            try {
                Files.write(folder.resolve("names.conf"), names);
                Files.write(folder.resolve("broker.conf"), broker(folder, port));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx320m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
            // Buffers for the network are outside of the heap.
            command.addAll(List.of("-XX:MaxDirectMemorySize=128m", "-Dio.netty.allocator.numDirectArenas=1"));
            command.addAll(List.of(
                    "--add-opens=java.base/java.nio=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"));
            // It gives buffers back by a call that Netty has for older JDKs alone, unless it is told to use what those
            // have.
            command.add("-Dio.netty.noUnsafe=false");
            command.addAll(ForkedJvm.withoutWarnings());
            // Whatever it writes elsewhere goes to the home of its user, or to where temporary files are.
            command.addAll(List.of("-Duser.home=" + folder, "-Djava.io.tmpdir=" + folder));
            command.addAll(List.of("-Drocketmq.home.dir=" + folder, "-Dtls.server.mode=disabled"));
            command.add("-Dtls.test.mode.enable=false");
            command.add("-Drmq.logback.configurationFile=" + folder.resolve(LOGGING));
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), RocketMqMain.class.getName()));
            command.addAll(List.of(
                    folder.resolve("names.conf").toString(),
                    folder.resolve("broker.conf").toString()));
            return command;
        }

        private List<String> broker(Path folder, int namesPort) {
            return List.of(
                    "brokerClusterName=" + NAME,
                    "brokerName=" + NAME,
                    "brokerId=0",
                    "brokerIP1=127.0.0.1",
                    "brokerIP2=127.0.0.1",
                    "bindAddress=127.0.0.1",
                    "namesrvAddr=127.0.0.1:" + namesPort,
                    "listenPort=" + brokerPort,
                    "haListenPort=" + replicationPort,
                    "storePathRootDir=" + folder.resolve("store"),
                    "storePathCommitLog=" + folder.resolve("store").resolve("commitlog"),
                    "mappedFileSizeCommitLog=" + (8 << 20),
                    "mappedFileSizeConsumeQueue=" + 20 * 2_000,
                    "maxHashSlotNum=1000",
                    "maxIndexNum=4000",
                    "timerWheelEnable=false",
                    "autoCreateTopicEnable=false",
                    "traceTopicEnable=false",
                    // A machine under load, or with a full disk, is no reason to turn messages away.
                    "brokerFastFailureEnable=false",
                    "osPageCacheBusyTimeOutMills=30000",
                    "diskMaxUsedSpaceRatio=95",
                    "defaultTopicQueueNums=2",
                    "transactionTimeOut=1000",
                    "transactionCheckInterval=500",
                    "transactionCheckMax=10000",
                    "transactionOpBatchInterval=200");
        }

        /** Its own end in order takes 15 s; what it has acknowledged is in its files before. */
        @Override
        public String stopSignal() {
            return "KILL";
        }
    }
}
