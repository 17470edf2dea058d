package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;

/** What others on the same machine get at: files, whatever the umask, and ports. */
class LocalReadersTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String FOLDER = "rwx------";
    private static final String FILE = "rw-------";

    @TempDir
    private Path folder;

    @Test
    void filesOfTheServerAreForItsUserAloneAndItsPortsAreShut() throws Exception {
        Path data = folder.resolve("data");
        Path audit = folder.resolve("audit.log");
        Path keys = folder.resolve("keys.json");
        Path secret = folder.resolve("secret");
        String key = key("create", "ops", "--role", "admin", "--api-keys", keys.toString());
        key("cluster", secret.toString());
        try (TestPort peers = TestPort.reserve();
                ServerProcess server = ServerProcess.started(ForkedJvm.startWithUmask(
                        "000",
                        TenonServer.class,
                        List.of(),
                        "--data",
                        data.toString(),
                        "--port",
                        "0",
                        "--node",
                        "n1",
                        "--peers",
                        "n1=127.0.0.1:" + peers.number(),
                        "--cluster-secret",
                        secret.toString(),
                        "--api-keys",
                        keys.toString(),
                        "--audit-log",
                        audit.toString()))) {
            await().atMost(LIMIT).until(() -> server.client().fetch("/readyz").status() == 200);
            server.client().call("PUT", "/v1/ids/a", "{\"kind\":\"sequence\"}", "Authorization", "Bearer " + key);
            assertThat(permissions(audit)).isEqualTo(FILE);
            assertThat(permissions(data)).isEqualTo(FOLDER);
            assertThat(permissions(data.resolve("raft"))).isEqualTo(FOLDER);
            assertThat(permissions(data.resolve("LOCK"))).isEqualTo(FILE);
            assertThat(permissions(data.resolve("VERSION"))).isEqualTo(FILE);
            await().atMost(LIMIT).untilAsserted(() -> assertThat(open(data)).isEmpty()); // the engine's own as well
            strangersKnock(peers.number());
            assertThat(server.client().fetch("/readyz").status()).isEqualTo(200);
            assertThat(server.jvm().errors()).doesNotContain("Exception", "\tat ");
        }
    }

    /** Nonsense, and connections that are cut. */
    private static void strangersKnock(int port) throws IOException {
        for (int i = 0; i < 50; i++) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port));
                socket.getOutputStream().write(new byte[] {(byte) i, 3, 1, 0, 4, 1, 2, 3, 4});
            }
        }
    }

    @Test
    void aServerThatIsAloneListensAtOnePort() throws IOException {
        try (ServerProcess server = ServerProcess.start(folder.resolve("data"), 0)) {
            assertThat(listening(server.jvm().pid())).containsExactly(server.port());
        }
    }

    /** The TCP ports that a process listens at. */
    private static List<Integer> listening(long pid) throws IOException {
        List<String> sockets = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                try {
                    sockets.add(Files.readSymbolicLink(file).toString());
                } catch (IOException e) {
                    // closed meanwhile
                }
            }
        }
        List<Integer> ports = new ArrayList<>();
        for (String table : List.of("tcp", "tcp6")) {
            for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table))) {
                String[] words = line.strip().split(" +");
                if (words[3].equals("0A") && sockets.contains("socket:[" + words[9] + "]")) {
                    ports.add(Integer.parseInt(words[1].substring(words[1].indexOf(':') + 1), 16));
                }
            }
        }
        return ports;
    }

    @Test
    void aFolderThatOthersCouldReadIsClosedWithOneWarning() throws Exception {
        Path data = folder.resolve("data");
        Node.open(NodeOptions.at("127.0.0.1", 0), data).close();
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(data.resolve("VERSION"), PosixFilePermissions.fromString("rw-r--r--"));
        try (LogLines log = LogLines.of(Class.forName("dev.tenon.raft.DataFolder"))) {
            Node.open(NodeOptions.at("127.0.0.1", 0), data).close();
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains(data.toString(), "rwxr-xr-x", "its owner alone");
        }
        assertThat(open(data)).isEmpty();
    }

    @Test
    void anAuditLogThatEverybodyCouldReadIsClosedAndAGroupMayBeChosen() throws IOException {
        Path audit = Files.createFile(folder.resolve("audit.log"));
        for (Map.Entry<String, String> each :
                Map.of("rw-r--r--", FILE, "rw-r-----", "rw-r-----", FILE, FILE).entrySet()) {
            Files.setPosixFilePermissions(audit, PosixFilePermissions.fromString(each.getKey()));
            PrivateFile.own(audit);
            assertThat(permissions(audit)).as(each.getKey()).isEqualTo(each.getValue());
        }
    }

    @Test
    void aFileOfRightsThatEverybodyMayWriteEndsTheStart() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "port: 1");
        String[] config = {"--config", file.toString()};
        CommandSpec server = new CommandLine(new Options()).getCommandSpec();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThatThrownBy(() -> ConfigFile.of(config, server, name -> null))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("all users of this machine can write " + file + " (--config)");
        for (String option : List.of("--api-keys", "--webhook-secrets")) {
            StringWriter said = new StringWriter();
            new CommandLine(new Options())
                    .setErr(new PrintWriter(said))
                    .setExecutionExceptionHandler((e, line, parsed) -> {
                        line.getErr().print(e.getMessage());
                        return 1;
                    })
                    .execute(option, file.toString());
            assertThat(said.toString()).contains("all users of this machine can write " + file + " (" + option + ")");
        }
    }

    @Command
    private static final class Options implements Runnable {
        @Mixin
        private AccessOptions access = new AccessOptions();

        @Override
        public void run() {
            access.checked();
        }
    }

    @Test
    void aSecretThatEverybodyMayReadIsWarnedOf() throws IOException {
        Path file = Files.createFile(folder.resolve("file"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        try (LogLines log = LogLines.of(PrivateFile.class)) {
            PrivateFile.requireUnshared("--tls-key", file);
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
            PrivateFile.requireUnshared("--tls-key", file);
            PrivateFile.requireUnshared("--tls-key", folder.resolve("none"));
            assertThat(log.warnings()).singleElement().asString().contains("--tls-key", file.toString());
        }
    }

    /** What others may do with anything in a folder, by its path. */
    private static Map<String, String> open(Path top) throws IOException {
        Map<String, String> open = new TreeMap<>();
        try (Stream<Path> all = Files.walk(top)) {
            for (Path path : (Iterable<Path>) all::iterator) {
                String found = permissions(path);
                if (!found.equals(Files.isDirectory(path) ? FOLDER : FILE)) {
                    open.put(path.toString(), found);
                }
            }
        } catch (UncheckedIOException e) {
            return Map.of(top.toString(), "changes just now");
        }
        return open;
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static String key(String... words) {
        StringWriter out = new StringWriter();
        int exitCode = TenonKey.line()
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(new StringWriter()))
                .execute(words);
        assertThat(exitCode).isZero();
        return out.toString().strip();
    }
}
