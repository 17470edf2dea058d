package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Against a stand-in for the docker command: what this machine can show without an engine. */
class DockerHostTest {
    @TempDir
    private Path folder;

    private String program = "";

    /** A durable Redis, as its recipe runs it in a container. */
    private record Recipe() implements ServerRecipe {
        @Override
        public String name() {
            return "redis";
        }

        @Override
        public String toInstall() {
            return "nothing";
        }

        @Override
        public Optional<Local> local() {
            return Optional.empty();
        }

        @Override
        public List<String> container() {
            return List.of("redis:7", "redis-server", "--save", "", "--appendonly", "yes");
        }

        @Override
        public int containerPort() {
            return 6379;
        }

        @Override
        public boolean ready(InetSocketAddress address) {
            return RedisAddress.answersPing(address);
        }
    }

    @BeforeEach
    void putStandIn() throws IOException {
        Path script = folder.resolve("docker");
        try (InputStream in = Objects.requireNonNull(DockerHostTest.class.getResourceAsStream("stand-in-docker.sh"))) {
            Files.copy(in, script);
        }
        assertThat(script.toFile().setExecutable(true)).isTrue();
        program = script.toString();
    }

    @Test
    void aContainerIsKilledPausedRestartedAndRemoved() throws IOException {
        try (TestPort port = TestPort.reserve()) {
            DockerHost host = new DockerHost(new Recipe(), port.number(), program);
            RedisAddress redis = new RedisAddress("127.0.0.1", port.number(), 0);
            host.start();
            await().until(() -> RedisAddress.answersPing(port.address()));
            redis.command("SET", "a", "1");
            host.pause();
            assertThat(host.running()).isTrue();
            host.resume();
            assertThat(redis.command("GET", "a")).isEqualTo("1");

            host.pause();
            host.kill();
            assertThat(host.running()).isFalse();
            host.start();
            await().until(() -> RedisAddress.answersPing(port.address()));
            assertThat(redis.command("GET", "a")).isEqualTo("1");

            host.stop();
            assertThat(host.running()).isFalse();
            assertThat(host.log()).contains("ready to exit");
            host.start();
            await().until(host::running);
            host.close();
            host.close();
            assertThat(host.running()).isFalse();
            try (Stream<Path> left = Files.list(folder.resolve("containers"))) {
                assertThat(left).isEmpty();
            }
        }
    }

    @Test
    void whatDockerRefusesIsSaid() {
        try (TestPort port = TestPort.reserve()) {
            DockerHost host = new DockerHost(new Recipe(), port.number(), "/bin/false");
            assertThat(host.running()).isFalse();
            assertThatThrownBy(host::start)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("docker run");
            host.close();
        }
    }
}
