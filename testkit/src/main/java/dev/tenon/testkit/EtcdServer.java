package dev.tenon.testkit;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * An etcd of one member of this test's own, or one that all tests of this JVM share. Threads may share it. etcd has
 * each write on disk before it answers; there is no faster kind.
 */
public final class EtcdServer extends TestServer {
    private static final String VARIABLE = "TENON_TEST_ETCD";
    private static final String CONTROL = "etcdctl";
    private static final String DATA = "data";
    private static final int CLIENT_PORT = 2379;
    private static final Once<EtcdAddress> SHARED = new Once<>(EtcdServer::openShared);

    private final Recipe recipe;

    private EtcdServer(Recipe recipe) {
        super(recipe);
        this.recipe = recipe;
    }

    /**
     * A member that is to meet others: not in a container, as members must reach each other by the addresses that they
     * tell each other. Not started yet.
     *
     * @param member its name
     * @param meets where it listens for the others
     * @param all every member's name and address, as {@code --initial-cluster} takes them
     */
    static EtcdServer ofGroup(String member, String meets, String all) {
        if (Programs.onPath("etcd").isEmpty()) {
            throw new IllegalStateException(
                    "no etcd server here: run scripts/install-test-servers (as root on Debian or Ubuntu), or"
                            + " install etcd; a cluster can't do with containers");
        }
        return new EtcdServer(new Recipe(member, meets, all));
    }

    private static Recipe alone() {
        String members = "http://127.0.0.1:0";
        return new Recipe("test", members, "test=" + members);
    }

    /** A server that keeps what it has acknowledged, after {@link #kill()} too. */
    public static EtcdServer start() {
        EtcdServer server = new EtcdServer(alone());
        server.startFirst();
        return server;
    }

    /**
     * Keys of its own in a server that this JVM starts once and all of its tests share; or in the server that the
     * environment names in {@code TENON_TEST_ETCD} as {@code http://host:port}. Leases are the whole server's.
     */
    public static EtcdAddress shared() {
        EtcdAddress whole = SHARED.value();
        return new EtcdAddress(whole.host(), whole.port(), newPrefix());
    }

    /** Its address, with keys of its own in each call. */
    public EtcdAddress address() {
        return new EtcdAddress(socket().getHostString(), socket().getPort(), newPrefix());
    }

    /** Copies the data folder as it is at one moment, as a snapshot of its disk would; for {@link #putCopyBack}. */
    public void copyData() {
        pause();
        try {
            ServerData.copy(data(), kept("copy"));
        } finally {
            resume();
        }
    }

    /** Kill -9, and a start with the data that {@link #copyData} has kept. */
    public void putCopyBack() {
        kill();
        ServerData.delete(data());
        ServerData.copy(kept("copy"), data());
        restart();
    }

    /** Kill -9, and a start without any data. */
    public void wipe() {
        kill();
        ServerData.delete(data());
        restart();
    }

    /** Saves a snapshot with {@code etcdctl}; for {@link #restoreSnapshot}. */
    public void saveSnapshot() {
        String endpoint = "http://127.0.0.1:" + socket().getPort();
        control("--endpoints", endpoint, "snapshot", "save", kept("snapshot").toString());
    }

    /** Kill -9, and a start with the snapshot, restored by {@code etcdctl} with the settings of before. */
    public void restoreSnapshot() {
        kill();
        ServerData.delete(data());
        List<String> restore =
                new ArrayList<>(List.of("snapshot", "restore", kept("snapshot").toString()));
        restore.addAll(List.of("--name", recipe.member, "--data-dir", data().toString()));
        restore.addAll(List.of("--initial-cluster", recipe.all, "--initial-advertise-peer-urls", recipe.meets));
        control(restore.toArray(String[]::new));
        restart();
    }

    private void control(String... arguments) {
        List<String> command = new ArrayList<>(List.of(Programs.onPath(CONTROL)
                .orElseThrow(
                        () -> new IllegalStateException("there is no etcdctl here: run scripts/install-test-servers"))
                .toString()));
        command.addAll(List.of(arguments));
        LocalHost.run(folder(), command);
    }

    private Path data() {
        return folder().resolve(DATA);
    }

    private Path kept(String what) {
        return folder().resolve(what);
    }

    private static String newPrefix() {
        return "test-" + UUID.randomUUID();
    }

    private static EtcdAddress openShared() {
        String given = System.getenv(VARIABLE);
        if (given == null || given.isBlank()) {
            return start().address();
        }
        URI uri = URI.create(given.strip());
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalStateException(VARIABLE + " must be http://host:port, not " + given);
        }
        return new EtcdAddress(uri.getHost(), uri.getPort() < 0 ? CLIENT_PORT : uri.getPort(), newPrefix());
    }

    /**
     * A member's options.
     *
     * @param meets where it listens for other members: for one that is alone, a port of the system's choice
     */
    private record Recipe(String member, String meets, String all) implements ServerRecipe {
        /** The address for clients stands behind the option. */
        private List<String> options(String clients) {
            List<String> options = new ArrayList<>(List.of("--name", member, "--logger", "zap"));
            options.addAll(List.of("--listen-client-urls", clients, "--advertise-client-urls", clients));
            options.addAll(List.of("--listen-peer-urls", meets, "--initial-advertise-peer-urls", meets));
            options.addAll(List.of("--initial-cluster", all));
            return options;
        }

        @Override
        public String name() {
            return "etcd";
        }

        @Override
        public String toInstall() {
            return "etcd (Debian: etcd-server)";
        }

        @Override
        public Optional<Local> local() {
            return Programs.onPath("etcd").map(binary -> new LocalCommands(binary, this));
        }

        @Override
        public List<String> container() {
            List<String> run = new ArrayList<>(List.of("quay.io/coreos/etcd:v3.5.17", "etcd"));
            run.addAll(options("http://0.0.0.0:" + CLIENT_PORT));
            return run;
        }

        @Override
        public int containerPort() {
            return CLIENT_PORT;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return EtcdAddress.answersHealthy(address);
        }
    }

    private record LocalCommands(Path binary, Recipe recipe) implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // etcd makes its files itself.
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>(List.of(
                    binary.toString(), "--data-dir", folder.resolve(DATA).toString()));
            command.addAll(recipe.options("http://127.0.0.1:" + port));
            return command;
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
