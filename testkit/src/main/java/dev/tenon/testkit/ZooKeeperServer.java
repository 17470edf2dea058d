package dev.tenon.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A ZooKeeper server of this test's own, or one that all tests of this JVM share. It is a JVM that runs the server of
 * the test's own class path: {@code org.apache.zookeeper:zookeeper} (which a client brings),
 * {@code io.dropwizard.metrics:metrics-core} and {@code org.xerial.snappy:snappy-java}; where the environment names a
 * folder in {@code TENON_TEST_ZOOKEEPER_JARS}, the server of the jars there (ZooKeeper's own; the libraries are the
 * class path's), which may be older or newer than the client. Threads may share it.
 */
public final class ZooKeeperServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_ZOOKEEPER";
    private static final String JARS = Objects.requireNonNullElse(System.getenv(VARIABLE + "_JARS"), "");
    private static final Once<ZooKeeperAddress> SHARED = new Once<>(ZooKeeperServer::openShared);

    private ZooKeeperServer(boolean durable, Member member) {
        super(new Recipe(durable, member));
    }

    /**
     * A server of an ensemble: not in a container, as the servers must reach each other. Not started yet.
     *
     * @param number its own, from 1
     * @param all a line {@code server.N=…} for each
     */
    static ZooKeeperServer ofEnsemble(int number, List<String> all) {
        ZooKeeperServer server = new ZooKeeperServer(false, new Member(number, List.copyOf(all)));
        server.folder();
        return server;
    }

    /**
     * Keeps a copy of its data as they are now, for {@link #putBack}; stops it for a moment, and no session with it.
     */
    public void keepCopy() {
        boolean running = running();
        if (running) {
            pause();
        }
        try {
            ServerData.copy(data(), copy());
        } finally {
            if (running) {
                resume();
            }
        }
    }

    /** Puts the copy in the place of the data, as a restore from a backup does; not while it runs. */
    public void putBack() {
        requireStopped();
        ServerData.copy(copy(), data());
    }

    /** Deletes its data, as a new disk does; not while it runs. */
    public void wipe() {
        requireStopped();
        ServerData.delete(data());
    }

    private void requireStopped() {
        if (running()) {
            throw new IllegalStateException("the server still runs");
        }
    }

    private Path data() {
        return folder().resolve("version-2");
    }

    private Path copy() {
        return folder().resolve("copy");
    }

    /**
     * A server that writes each change to its log before it answers, without fsync: a power cut may lose the last ones.
     */
    public static ZooKeeperServer start() {
        return start(false);
    }

    /** A server that has each change on disk (fsync) before it answers, as ZooKeeper does by default. */
    public static ZooKeeperServer startDurable() {
        return start(true);
    }

    /**
     * A new tree of a server that this JVM starts once and all of its tests share; or of the server that the
     * environment names in {@code TENON_TEST_ZOOKEEPER} as {@code host:port}.
     */
    public static ZooKeeperAddress shared() {
        return SHARED.value().newRoot();
    }

    /** Its address, the whole tree. */
    public ZooKeeperAddress address() {
        return new ZooKeeperAddress(socket().getHostString(), socket().getPort(), "");
    }

    private static ZooKeeperServer start(boolean durable) {
        ZooKeeperServer server = new ZooKeeperServer(durable, Member.ALONE);
        server.startFirst();
        return server;
    }

    private static ZooKeeperAddress openShared() {
        String given = System.getenv(VARIABLE);
        if (given == null || given.isBlank()) {
            return start().address();
        }
        String[] parts = given.strip().split(":");
        if (parts.length != 2 || !parts[1].matches("\\d{1,5}")) {
            throw new IllegalStateException(VARIABLE + " must be host:port, not " + given);
        }
        return new ZooKeeperAddress(parts[0], Integer.parseInt(parts[1]), "");
    }

    /**
     * What a server is of an ensemble.
     *
     * @param all what each of them is, for the configuration; empty: there is no ensemble
     */
    private record Member(int number, List<String> all) {
        static final Member ALONE = new Member(0, List.of());

        String main() {
            return all.isEmpty() ? Recipe.MAIN : "org.apache.zookeeper.server.quorum.QuorumPeerMain";
        }
    }

    private record Recipe(boolean durable, Member member) implements ServerRecipe {
        private static final String MAIN = "org.apache.zookeeper.server.ZooKeeperServerMain";
        /** One class of each of the three archives. */
        private static final List<String> NEEDED =
                List.of(MAIN, "com.codahale.metrics.Reservoir", "org.xerial.snappy.SnappyInputStream");

        @Override
        public String name() {
            return "zookeeper";
        }

        @Override
        public String toInstall() {
            return "nothing, but put org.apache.zookeeper:zookeeper, io.dropwizard.metrics:metrics-core and"
                    + " org.xerial.snappy:snappy-java on the class path of the test";
        }

        @Override
        public Optional<Local> local() {
            return NEEDED.stream().allMatch(Recipe::onClassPath)
                    ? Optional.of(new LocalCommands(durable, member))
                    : Optional.empty();
        }

        private static boolean onClassPath(String type) {
            return Recipe.class.getClassLoader().getResource(type.replace('.', '/') + ".class") != null;
        }

        @Override
        public List<String> container() {
            return List.of("zookeeper:3.9");
        }

        @Override
        public int containerPort() {
            return 2181;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return ZooKeeperAddress.serves(address);
        }
    }

    private record LocalCommands(boolean durable, Member member) implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // ZooKeeper makes its other files itself; its configuration has the port, and is written at each start.
            write(folder.resolve("myid"), List.of(Integer.toString(member.number())));
        }

        @Override
        public List<String> serve(Path folder, int port) {
            // Short ticks: a test may then ask for sessions of a second, and see them expire.
            List<String> configuration = new ArrayList<>(List.of(
                    "dataDir=" + folder,
                    "clientPort=" + port,
                    "clientPortAddress=127.0.0.1",
                    "tickTime=500",
                    "maxSessionTimeout=60000",
                    "maxClientCnxns=0",
                    "preAllocSize=1024",
                    "admin.enableServer=false",
                    "initLimit=40",
                    "syncLimit=20",
                    "4lw.commands.whitelist=srvr"));
            configuration.addAll(member.all());
            Path file = folder.resolve("zoo.cfg");
            write(file, configuration);
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
            command.add("-Dzookeeper.forceSync=" + (durable ? "yes" : "no"));
            command.addAll(
                    JARS.isEmpty()
                            ? SharedClasses.optionsFor(member.main(), List.of())
                            : List.of(
                                    "-cp",
                                    Path.of(JARS, "*") + File.pathSeparator + System.getProperty("java.class.path")));
            command.addAll(List.of(member.main(), file.toString()));
            return command;
        }

        private static void write(Path file, List<String> lines) {
            try {
                Files.write(file, lines);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
