package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ForkedJvmTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Answers each line; ends with the given code on "exit". */
    static final class Echo {
        public static void main(String[] arguments) throws Exception {
            System.out.println("up " + Arrays.toString(arguments));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                if (line.startsWith("exit ")) {
                    System.err.println("good-bye");
                    System.exit(Integer.parseInt(line.substring(5)));
                }
                System.out.println("echo " + line);
            }
            System.out.println("end of input");
        }
    }

    /** Starts servers and a JVM of its own, and tells their process IDs and where its files are. */
    static final class Parent {
        public static void main(String[] arguments) throws Exception {
            RedisServer redis = RedisServer.start();
            PostgresServer postgres = PostgresServer.start();
            ForkedJvm jvm = ForkedJvm.start(Echo.class);
            jvm.nextLine(LIMIT);
            for (ProcessHandle child : ProcessHandle.current().descendants().toList()) {
                System.out.println("pid " + child.pid());
            }
            System.out.println("folder " + Guard.ofThisJvm().newFolder("mine").getParent());
            if (arguments[0].equals("pauses")) {
                redis.pause();
                postgres.pause();
                jvm.pause();
            }
            System.out.println("ready");
            if (arguments[0].equals("returns")) {
                System.exit(0);
            }
            System.in.read();
        }
    }

    @Test
    void linesGoInAndOut() {
        try (ForkedJvm jvm = ForkedJvm.start(Echo.class, "a", "b c")) {
            assertThat(jvm.nextLine(LIMIT)).isEqualTo("up [a, b c]");
            jvm.send("eins");
            jvm.send("zwölf");
            assertThat(jvm.nextLine(line -> line.contains("z"), LIMIT)).isEqualTo("echo zwölf");
            assertThat(jvm.exitCode()).isEmpty();
            jvm.closeInput();
            assertThat(jvm.awaitExit(LIMIT)).isZero();
            assertThat(jvm.lines()).containsExactly("up [a, b c]", "echo eins", "echo zwölf", "end of input");
            assertThatThrownBy(() -> jvm.nextLine(line -> line.equals("more"), LIMIT))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("output ended");
        }
    }

    @Test
    void itsExitCodeAndErrorsAreSeen() {
        try (ForkedJvm jvm = ForkedJvm.start(Echo.class)) {
            jvm.send("exit 7");
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(7);
            assertThat(jvm.exitCode()).hasValue(7);
            assertThat(jvm.errors()).contains("good-bye");
            assertThatThrownBy(() -> jvm.send("more")).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void killedItIsGoneAtOnce() {
        try (ForkedJvm jvm = ForkedJvm.start(Echo.class)) {
            jvm.nextLine(LIMIT);
            jvm.kill();
            assertThat(jvm.running()).isFalse();
            assertThat(jvm.awaitExit(LIMIT)).isEqualTo(128 + 9);
        }
    }

    @Test
    void pausedItAnswersOnlyOnceItGoesOn() {
        try (ForkedJvm jvm = ForkedJvm.start(Echo.class)) {
            jvm.nextLine(LIMIT);
            jvm.pause();
            jvm.send("hello");
            assertThatThrownBy(() -> jvm.nextLine(Duration.ofMillis(150))).hasMessageContaining("no such line");
            jvm.resume();
            assertThat(jvm.nextLine(LIMIT)).isEqualTo("echo hello");
            jvm.pause();
        }
    }

    @Test
    void severalRunAtOnceWithOptionsOfTheirOwn() {
        List<ForkedJvm> all = IntStream.range(0, 3)
                .mapToObj(i -> ForkedJvm.start(Echo.class, List.of("-Xmx64m"), Integer.toString(i)))
                .toList();
        for (int i = 0; i < all.size(); i++) {
            assertThat(all.get(i).nextLine(LIMIT)).isEqualTo("up [" + i + "]");
        }
        all.forEach(ForkedJvm::close);
        assertThat(all).noneMatch(ForkedJvm::running);
    }

    @ParameterizedTest
    @ValueSource(strings = {"returns", "is killed", "pauses"})
    void nothingOutlivesAJvmHoweverItEnds(String way) {
        try (ForkedJvm parent = ForkedJvm.start(Parent.class, way)) {
            parent.nextLine("ready"::equals, LIMIT);
            if (!way.equals("returns")) {
                parent.kill();
            }
            parent.awaitExit(LIMIT);
            List<ProcessHandle> children = parent.lines().stream()
                    .filter(line -> line.startsWith("pid "))
                    .flatMap(line -> ProcessHandle.of(Long.parseLong(line.substring(4))).stream())
                    .toList();
            Path folder = Path.of(parent.lines().stream()
                    .filter(line -> line.startsWith("folder "))
                    .findFirst()
                    .orElseThrow()
                    .substring(7));
            await().atMost(LIMIT).until(() -> children.stream().allMatch(ChildProcess::gone));
            await().atMost(LIMIT).until(() -> !Files.exists(folder));
        }
    }
}
