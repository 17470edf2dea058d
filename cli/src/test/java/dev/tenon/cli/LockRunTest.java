package dev.tenon.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.Punctual;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code lock run}, as a process that runs a process. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LockRunTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    /** Longer than a machine that is busy may stand still. */
    private static final List<String> LONG_LEASE = List.of("--lease", "1m");

    private Path folder;

    private Node node;

    @BeforeAll
    void start(@TempDir Path shared) {
        folder = shared;
        node = Node.open(NodeOptions.at("127.0.0.1", 0), folder.resolve("data"));
    }

    @AfterAll
    void stop() {
        node.close();
    }

    private ForkedJvm run(String name, List<String> options, String... command) {
        return run(node.port(), name, options, command);
    }

    private static ForkedJvm run(int port, String name, List<String> options, String... command) {
        List<String> all = new ArrayList<>(List.of("lock", "run", name, "--server", "http://127.0.0.1:" + port));
        all.addAll(options);
        if (!options.contains("--lease")) {
            all.addAll(LONG_LEASE);
        }
        all.add("--");
        all.addAll(List.of(command));
        return ForkedJvm.start(TenonCli.class, all.toArray(new String[0]));
    }

    private JsonNode look(String name) {
        return CliRun.of(node.port(), "lock", "who", name, "--json").json();
    }

    private static String name(TestInfo test) {
        return test.getTestMethod().orElseThrow().getName();
    }

    @Test
    void aServerThatIsNotThereMeansThatNothingRuns() {
        try (TestPort free = TestPort.reserve();
                ForkedJvm jvm = run(free.number(), "a", List.of(), "echo", "ran")) {
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.UNREACHABLE.code());
            assertThat(jvm.lines()).isEmpty();
        }
    }

    @Test
    void aLockThatIsTakenMeansThatNothingRuns(TestInfo test) {
        try (ForkedJvm holder = run(name(test), List.of(), "sh", "-c", "echo up; read end")) {
            holder.nextLine(LIMIT);
            try (ForkedJvm other = run(name(test), List.of("--wait", "0s"), "echo", "ran")) {
                assertThat(other.awaitExit(LIMIT)).isEqualTo(ExitCode.NOT_ACQUIRED.code());
                assertThat(other.lines()).isEmpty();
                assertThat(other.errors()).contains("not acquired");
            }
            try (ForkedJvm other = run(name(test), List.of("--wait", "0s", "--json"), "echo", "ran")) {
                assertThat(other.awaitExit(LIMIT)).isEqualTo(ExitCode.NOT_ACQUIRED.code());
                assertThat(new JsonMapper()
                                .readTree(other.errors())
                                .path("type")
                                .asString())
                        .isEqualTo("urn:tenon:cli:not-acquired");
            }
            holder.send("end");
            assertThat(holder.awaitExit(LIMIT)).isZero();
        }
        assertThat(look(name(test)).path("held").asBoolean()).isFalse();
    }

    @Test
    void sharedOnesRunBesideEachOther(TestInfo test) {
        try (ForkedJvm first = run(name(test), List.of("--shared"), "sh", "-c", "echo up; read end")) {
            first.nextLine(LIMIT);
            assertThat(look(name(test)).path("holder").path("mode").asString()).isEqualTo("shared");
            try (ForkedJvm second = run(name(test), List.of("--shared", "--wait", "0s"), "echo", "ran")) {
                assertThat(second.awaitExit(LIMIT)).as(second.errors()).isZero();
                assertThat(second.lines()).containsExactly("ran");
            }
            first.send("end");
            assertThat(first.awaitExit(LIMIT)).isZero();
        }
    }

    @Test
    void aCommandThatIsNotThereIsSaid(TestInfo test) throws IOException {
        try (ForkedJvm jvm = run(name(test), List.of(), "no-such-command-here")) {
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.NOT_FOUND.code());
            assertThat(jvm.errors()).contains("no-such-command-here");
        }
        Path file = Files.writeString(folder.resolve("no-program"), "text");
        try (ForkedJvm jvm = run(name(test), List.of(), file.toString())) {
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.NOT_EXECUTABLE.code());
        }
        assertThat(look(name(test)).path("held").asBoolean()).isFalse();
    }

    @Test
    void theCommandHasItsTokenAndItsExitCodeIsPassedOn(TestInfo test) {
        long last = 0;
        for (int i = 0; i < 2; i++) {
            try (ForkedJvm jvm =
                    run(name(test), List.of(), "sh", "-c", "echo $TENON_LOCK_NAME $TENON_FENCING_TOKEN; exit 7")) {
                assertThat(jvm.awaitExit(LIMIT)).as(jvm.errors()).isEqualTo(7);
                String[] words = jvm.lines().get(0).split(" ");
                assertThat(words[0]).isEqualTo(name(test));
                assertThat(Long.parseLong(words[1])).isGreaterThan(last);
                last = Long.parseLong(words[1]);
            }
        }
    }

    @Test
    void permitsAreTakenUpToTheirNumberAndAskedBack(TestInfo test) {
        List<String> two = List.of("--permits", "2", "--of", "3", "--wait", "0s", "--lease", "20s");
        try (ForkedJvm first = run(name(test), two, "sh", "-c", "echo up; read end")) {
            first.nextLine(LIMIT);
            assertThat(look(name(test)).path("holder").path("permits").asInt()).isEqualTo(2);
            CliRun.of(node.port(), "lock", "revoke", name(test), "--by", "ops");
            try (ForkedJvm second = run(name(test), two, "echo", "ran")) {
                assertThat(second.awaitExit(LIMIT)).isEqualTo(ExitCode.NOT_ACQUIRED.code());
            }
            await().atMost(LIMIT).until(() -> first.errors().contains("ops asks for"));
            first.send("end");
            assertThat(first.awaitExit(LIMIT)).isZero();
        }
    }

    @Test
    void theNextOneIsServedWhenTheFirstEnds(TestInfo test) {
        try (ForkedJvm first = run(name(test), List.of(), "sh", "-c", "echo up; read end")) {
            first.nextLine(LIMIT);
            try (ForkedJvm second = run(name(test), List.of(), "echo", "second")) {
                await().atMost(LIMIT).until(() -> look(name(test)).path("queue").size() == 1);
                assertThat(second.lines()).isEmpty();
                first.send("end");
                assertThat(second.nextLine(LIMIT)).isEqualTo("second");
                assertThat(second.awaitExit(LIMIT)).isZero();
            }
        }
    }

    @Test
    void whoIsEndedWhileItWaitsLeavesTheQueue(TestInfo test) {
        try (ForkedJvm first = run(name(test), List.of(), "sh", "-c", "echo up; read end")) {
            first.nextLine(LIMIT);
            try (ForkedJvm second = run(name(test), List.of("--lease", "1m"), "echo", "second")) {
                await().atMost(LIMIT).until(() -> look(name(test)).path("queue").size() == 1);
                second.terminate();
                assertThat(second.awaitExit(LIMIT)).isEqualTo(143);
                assertThat(second.lines()).isEmpty();
            }
            await().atMost(LIMIT).until(() -> look(name(test)).path("queue").isEmpty());
            first.send("end");
        }
    }

    @Test
    void aSignalReachesTheCommand(TestInfo test) {
        String script = "trap 'kill $!; echo told; exit 9' TERM; sleep 60 >/dev/null 2>&1 & echo up; wait";
        try (ForkedJvm jvm = run(name(test), List.of(), "sh", "-c", script)) {
            jvm.nextLine(LIMIT);
            jvm.terminate();
            assertThat(jvm.nextLine(LIMIT)).isEqualTo("told");
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(9);
        }
        assertThat(look(name(test)).path("held").asBoolean()).isFalse();
    }

    @Test
    void anEvictionStopsTheCommandEvenIfItWillNot(TestInfo test) {
        String stubborn = "trap '' TERM; echo $$; while :; do read end || sleep 1; done";
        try (ForkedJvm jvm = run(name(test), List.of("--lease", "15s"), "sh", "-c", stubborn)) {
            long pid = Long.parseLong(jvm.nextLine(LIMIT));
            assertThat(CliRun.of(node.port(), "lock", "evict", name(test), "--reason", "test")
                            .exitCode())
                    .isZero();
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.LEASE_LOST.code());
            assertThat(jvm.errors()).contains("lost");
            assertThat(ProcessHandle.of(pid).filter(ProcessHandle::isAlive)).isEmpty();
        }
    }

    @Test
    void whatTheCommandHasStartedHasItsTimeToEndToo(TestInfo test) {
        String tidy = "trap 'sleep 0.3; echo tidied; exit 0' TERM; echo up; while :; do sleep 0.1; done";
        String stubborn = "trap '' TERM; echo $$; while :; do sleep 0.1; done";
        String both = "sh -c \"$0\" & sh -c \"$1\" & wait";
        try (ForkedJvm jvm = run(name(test), List.of("--lease", "15s"), "sh", "-c", both, tidy, stubborn)) {
            List<String> begun = List.of(jvm.nextLine(LIMIT), jvm.nextLine(LIMIT));
            long pid = Long.parseLong(begun.get(0).equals("up") ? begun.get(1) : begun.get(0));
            CliRun.of(node.port(), "lock", "evict", name(test), "--reason", "test");
            assertThat(jvm.nextLine(LIMIT)).isEqualTo("tidied");
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.LEASE_LOST.code());
            await().atMost(LIMIT)
                    .until(() ->
                            ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
        }
    }

    @Test
    void theCommandHasNoCredentialsUnlessItIsToHaveThem(TestInfo test) throws Exception {
        Map<String, String> secret = Map.of(
                "TENON_API_KEY",
                "tenon_secret",
                "TENON_STORE_PASSWORD",
                "secret",
                "TENON_STORE",
                "redis://u:secret@h",
                "TENON_SERVER",
                "http://127.0.0.1:" + node.port());
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                TenonCli.class.getName(),
                "lock",
                "run",
                name(test));
        List<String> kept = new ArrayList<>(command);
        command = new ArrayList<>(command);
        command.addAll(List.of("--", "env"));
        Shell without = Shell.run(folder, secret, command);
        assertThat(without.exitCode()).as(without.err()).isZero();
        assertThat(without.out())
                .contains("TENON_SERVER=", "TENON_FENCING_TOKEN=")
                .doesNotContain("secret");
        kept.addAll(List.of("--pass-credentials", "--", "env"));
        assertThat(Shell.run(folder, secret, kept).out())
                .contains("TENON_API_KEY=tenon_secret", "TENON_STORE_PASSWORD=secret");
    }

    @Test
    void aServerThatIsGoneStopsTheCommandBeforeTheLeaseEnds(TestInfo test) throws Exception {
        Punctual.judge(Duration.ofSeconds(1), () -> "", () -> stopsWithItsServer(name(test)));
    }

    private void stopsWithItsServer(String name) throws IOException {
        Path data = Files.createTempDirectory(folder, "gone");
        Node gone = Node.open(NodeOptions.at("127.0.0.1", 0), data);
        try (ForkedJvm jvm =
                run(gone.port(), name, List.of("--lease", "10s"), "sh", "-c", "echo up; read end; echo ended")) {
            jvm.nextLine(LIMIT);
            gone.close();
            long closedNanos = System.nanoTime();
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(ExitCode.LEASE_LOST.code());
            assertThat(Duration.ofNanos(System.nanoTime() - closedNanos)).isLessThan(Duration.ofSeconds(10));
            assertThat(jvm.lines()).containsExactly("up");
        } finally {
            gone.close();
        }
    }

    @Test
    void aServerThatComesBackInTimeIsNotNoticed(TestInfo test) {
        Path data = folder.resolve("back");
        Node before = Node.open(NodeOptions.at("127.0.0.1", 0), data);
        int port = before.port();
        try (ForkedJvm holder = run(port, name(test), List.of(), "sh", "-c", "echo up; read end")) {
            holder.nextLine(LIMIT);
            try (ForkedJvm waiter = run(port, name(test), List.of(), "echo", "second")) {
                await().atMost(LIMIT)
                        .until(() -> CliRun.of(port, "lock", "who", name(test), "--json")
                                        .json()
                                        .path("queue")
                                        .size()
                                == 1);
                before.close();
                try (Node after = Node.open(NodeOptions.at("127.0.0.1", port), data)) {
                    assertThat(after.port()).isEqualTo(port);
                    holder.send("end");
                    assertThat(holder.awaitExit(LIMIT)).isZero();
                    assertThat(waiter.nextLine(LIMIT)).isEqualTo("second");
                    assertThat(waiter.awaitExit(LIMIT)).isZero();
                }
            }
        } finally {
            before.close();
        }
    }
}
