package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.testkit.ForkedJvm;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCommandTest {
    @TempDir
    private Path folder;

    @Test
    void aBackupIsWholeOrNotThere() throws IOException {
        Path file = folder.resolve("a.backup");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"))) {
            CliRun run = CliRun.of(node.port(), "backup", file.toString());
            assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCode.OK.code());
            assertThat(run.out()).contains(file.toString(), Files.size(file) + " bytes");
            CliRun again = CliRun.of(node.port(), "backup", file.toString());
            assertThat(again.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(again.err()).contains("exists already");
            Path other = folder.resolve("b.backup");
            CliRun json = CliRun.of(node.port(), "backup", "--json", other.toString());
            assertThat(json.json().path("bytes").asLong()).isEqualTo(Files.size(other));
        }
        byte[] whole = Files.readAllBytes(file);
        byte[] damaged = whole.clone();
        damaged[whole.length / 2] ^= 1;
        for (byte[] sent : new byte[][] {damaged, new byte[10], new byte[0]}) {
            arrivesDamaged(sent);
        }
    }

    private void arrivesDamaged(byte[] sent) throws IOException {
        Path file = folder.resolve("damaged.backup");
        AtomicReference<String> asked = new AtomicReference<>("");
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.set(exchange.getRequestURI().getPath());
            exchange.sendResponseHeaders(200, sent.length == 0 ? -1 : sent.length);
            exchange.getResponseBody().write(sent);
            exchange.close();
        });
        server.start();
        try {
            CliRun run = CliRun.of(server.getAddress().getPort(), "backup", file.toString());
            assertThat(run.exitCode()).isEqualTo(ExitCode.UNREACHABLE.code());
            assertThat(run.err()).contains("damaged or incomplete");
            assertThat(asked).hasValue("/v1/backup");
            assertThat(folder).isDirectoryNotContaining("glob:**damaged*");
        } finally {
            server.stop(0);
        }
    }

    @Test
    void aBackupIsForItsOwnerAndInNothingsPlace() throws IOException {
        Path file = folder.resolve("a.backup");
        Path precious = Files.writeString(folder.resolve("precious"), "precious");
        Path planted = Files.createSymbolicLink(folder.resolve("a.backup.part"), precious);
        Path dangling = Files.createSymbolicLink(folder.resolve("dangling"), folder.resolve("nowhere"));
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"));
                ForkedJvm cli = ForkedJvm.startWithUmask(
                        "000",
                        TenonCli.class,
                        List.of(),
                        "backup",
                        file.toString(),
                        "--server",
                        "http://127.0.0.1:" + node.port())) {
            assertThat(cli.awaitExit(Duration.ofSeconds(60))).as(cli.errors()).isZero();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo("rw-------");
            assertThat(precious).hasContent("precious");
            assertThat(planted).isSymbolicLink();
            CliRun refused = CliRun.of(node.port(), "backup", dangling.toString());
            assertThat(refused.exitCode()).isEqualTo(ExitCode.USAGE.code());
            assertThat(folder.resolve("nowhere")).doesNotExist();
            assertThat(folder).isDirectoryNotContaining("glob:**/a.backup.?*.part");
        }
    }

    @Test
    void aServerThatIsNotThereIsSaid() {
        CliRun run = CliRun.of("backup", folder.resolve("x").toString(), "--server", "http://127.0.0.1:1");
        assertThat(run.exitCode()).isEqualTo(ExitCode.UNREACHABLE.code());
        assertThat(folder).isEmptyDirectory();
    }
}
