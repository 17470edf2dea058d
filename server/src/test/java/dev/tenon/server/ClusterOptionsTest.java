package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.access.Limits;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What is said at the door of a cluster. */
class ClusterOptionsTest {
    @TempDir
    private Path folder;

    private static final String PEERS = "n1=127.0.0.1:7701,n2=127.0.0.1:7702,n3=127.0.0.1:7703";

    @Command(name = "tenon server")
    private static final class Options implements Runnable {
        @Mixin
        private StorageOptions storage = new StorageOptions();

        @Mixin
        private ClusterOptions cluster = new ClusterOptions();

        @Option(names = "--test-keys-in-force")
        private boolean authenticated;

        private String shown = "";

        @Override
        public void run() {
            shown = storage.checked(cluster.checked(authenticated), Limits.DEFAULT)
                    .shown();
        }
    }

    /** How it ended, and what was said. */
    private record Run(int exitCode, String said) {}

    private static Run run(String... arguments) {
        StringWriter err = new StringWriter();
        Options options = new Options();
        int exitCode = new CommandLine(options).setErr(new PrintWriter(err)).execute(arguments);
        assertThat(options.shown.isEmpty()).isEqualTo(exitCode != 0);
        return new Run(exitCode, err.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--node n1 | --peers go together",
                "--peers {} | --node and --peers",
                "--node n9 --peers {} | is not one of the peers",
                "--node n1 --peers n1 | NAME=HOST:PORT",
                "--node n1 --peers n1=127.0.0.1 | host:port",
                "--node n1 --peers n1=127.0.0.1:0 | host:port",
                "--node n1 --peers n1=127.0.0.1:99999 | host:port",
                "--node n_1 --peers n_1=127.0.0.1:7701 | letters, digits",
                "--node n1 --peers n1=127.0.0.1:1,n1=127.0.0.1:2,n2=127.0.0.1:3 | named twice",
                "--node n1 --peers n1=127.0.0.1:1,n2=127.0.0.1:1,n3=127.0.0.1:3 | the address 127.0.0.1:1",
                "--node n1 --peers n1=192.0.2.1:7701,n2=192.0.2.2:7701,n3=192.0.2.3:7701 | --peer-tls-cert",
                "--node n1 --peers n1=192.0.2.1:7701,n2=192.0.2.2:7701,n3=192.0.2.3:7701 | tenon key cluster FILE",
                "--test-keys-in-force --node n1 --peers {} | bypassing the keys that clients need",
                "--test-keys-in-force --node n1 --peers {} | tenon key cluster FILE",
                "--test-keys-in-force --node n1 --peers {} --cluster-secret none | none can't be read",
                "--node n1 --peers {} --cluster-secret none | tenon key cluster none",
                "--cluster-secret none | give --node and --peers",
                "--node n1 --peers {} --election-timeout 1s | PT0.5S",
                "--node n1 --peers {} --election-timeout PT0.001S | 50 ms",
                "--node n1 --peers {} --peer-tls-cert a.pem | go together",
                "--node n1 --peers {} --peer-tls-cert a.pem --peer-tls-key b.pem --peer-tls-ca c.pem | can't be read",
                "--node n1 --peers {} --store redis://127.0.0.1:1 | --store and --peers exclude each other",
                "--election-timeout PT1S | give --node and --peers",
            })
    void wrongUsageIsExplained(String words, String said) {
        List<String> arguments =
                new ArrayList<>(List.of(words.replace("{}", PEERS).split(" ")));
        Run run = run(arguments.toArray(String[]::new));
        assertThat(run.exitCode()).isEqualTo(2);
        assertThat(run.said()).contains(said);
    }

    @Test
    void anEvenNumberIsWarnedOfAndNothingElse() {
        assertThat(run("--node", "n1", "--peers", PEERS)).isEqualTo(new Run(0, ""));
        Run even = run("--node", "n1", "--peers", "n1=127.0.0.1:7701,n2=127.0.0.1:7702");
        assertThat(even.exitCode()).isZero();
        assertThat(even.said()).contains("three or five");
    }

    @Test
    void nodesThatTrustEverybodyAreWarnedOfInOneLine() {
        String far = "n1=192.0.2.1:7701";
        List<List<String>> trusting = List.of(
                List.of("--node", "n1", "--peers", PEERS),
                List.of("--node", "n1", "--peers", far, "--insecure-peers"),
                List.of("--node", "n1", "--peers", PEERS, "--insecure-peers", "--test-keys-in-force"));
        for (List<String> arguments : trusting) {
            try (LogLines log = LogLines.of(ClusterOptions.class)) {
                assertThat(run(arguments.toArray(String[]::new)).exitCode()).isZero();
                assertThat(log.warnings())
                        .singleElement()
                        .asString()
                        .contains(
                                arguments.contains(far) ? "any machine" : "any process on this machine",
                                "can change and delete everything",
                                "--cluster-secret");
            }
        }
    }

    @Test
    void nodesThatShareASecretAreNotWarnedOf() {
        String secret = folder.resolve("secret").toString();
        assertThat(TenonKey.line().execute("cluster", secret)).isZero();
        try (LogLines log = LogLines.of(ClusterOptions.class)) {
            for (String peers : List.of(PEERS, "n1=192.0.2.1:7701")) {
                assertThat(run("--test-keys-in-force", "--node", "n1", "--peers", peers, "--cluster-secret", secret))
                        .isEqualTo(new Run(0, ""));
            }
            assertThat(log.warnings()).isEmpty();
        }
        assertThat(run(
                                "--node",
                                "n1",
                                "--peers",
                                PEERS,
                                "--cluster-secret",
                                secret,
                                "--peer-tls-cert",
                                secret,
                                "--peer-tls-key",
                                secret,
                                "--peer-tls-ca",
                                secret)
                        .said())
                .contains("exclude each other");
        assertThat(TenonKey.line().setErr(new PrintWriter(new StringWriter())).execute("cluster", secret))
                .as("it is there already")
                .isEqualTo(1);
    }
}
