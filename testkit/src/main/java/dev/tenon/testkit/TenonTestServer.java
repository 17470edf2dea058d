package dev.tenon.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A Tenon server of this test's own, one durable node, or one that all tests of this JVM share. The server is on the
 * test's class path ({@code tenon-server}), or has libraries of its own: those that the file lists which the system
 * property {@value #CLASS_PATH} names, and the folder {@code classes} beside it. Threads may share it.
 */
public final class TenonTestServer extends TestServer {
    private static final String MAIN = "dev.tenon.server.TenonServer";
    private static final String CLASS_PATH = "tenon.test.server";
    private static final int HTTP_PORT = 7700;
    private static final int OK = 200;
    private static final int PROBE_MILLIS = 2_000;
    private static final Once<TenonTestServer> SHARED = new Once<>(TenonTestServer::start);

    private TenonTestServer() {
        super(new Recipe());
    }

    /** A server that keeps what it has acknowledged, after {@link #kill()} too. */
    public static TenonTestServer start() {
        TenonTestServer server = new TenonTestServer();
        server.startFirst();
        return server;
    }

    /** The one that this JVM starts once and all of its tests share; nobody may break it. */
    public static TenonTestServer shared() {
        return SHARED.value();
    }

    /** Where clients reach it: {@code 127.0.0.1:port}. */
    public String address() {
        return socket().getHostString() + ":" + socket().getPort();
    }

    private record Recipe() implements ServerRecipe {
        @Override
        public String name() {
            return "tenon";
        }

        @Override
        public String toInstall() {
            return "tenon-server on the class path of the test";
        }

        @Override
        public Optional<Local> local() {
            return Optional.of(new LocalCommands());
        }

        @Override
        public List<String> container() {
            throw new IllegalStateException("A Tenon server runs on this machine");
        }

        @Override
        public int containerPort() {
            return HTTP_PORT;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            try {
                HttpURLConnection probe = (HttpURLConnection)
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + "/readyz")
                                .toURL()
                                .openConnection();
                probe.setConnectTimeout(PROBE_MILLIS);
                probe.setReadTimeout(PROBE_MILLIS);
                return probe.getResponseCode() == OK;
            } catch (IOException e) {
                return false;
            }
        }
    }

    private record LocalCommands() implements ServerRecipe.Local {
        @Override
        public void prepare(Path folder) {
            // The server makes its files itself.
        }

        @Override
        public List<String> serve(Path folder, int port) {
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
            // Classes of our own build need no verifier.
            command.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-BytecodeVerificationRemote"));
            List<String> arguments =
                    List.of("--data", folder.resolve("data").toString(), "--port", Integer.toString(port));
            command.addAll(classPath(arguments));
            command.add(MAIN);
            command.addAll(arguments);
            return command;
        }

        private static List<String> classPath(List<String> arguments) {
            String own = System.getProperty(CLASS_PATH);
            if (own == null) {
                return SharedClasses.optionsFor(MAIN, arguments);
            }
            Path libraries = Path.of(own);
            try {
                return SharedClasses.optionsFor(
                        MAIN,
                        libraries.resolveSibling("classes")
                                + File.pathSeparator
                                + Files.readString(libraries).strip());
            } catch (IOException e) {
                throw new UncheckedIOException("the build of the server has left no class path", e);
            }
        }

        @Override
        public String stopSignal() {
            return "TERM";
        }
    }
}
