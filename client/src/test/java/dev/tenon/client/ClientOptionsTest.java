package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.BackendUnavailableException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientOptionsTest {
    @Test
    void serversAreListedWithCommas() {
        assertThat(ClientOptions.of("a:1, b:2,[::1]:3").servers()).containsExactly("a:1", "b:2", "[::1]:3");
        assertThat(ServerAddress.of("[::1]:3")).isEqualTo(new ServerAddress("::1", 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a:", ":1", "a:0", "a:65536", "a:x", "http://a:1", "::1:3", "a:1,", "a:1,,b:2"})
    void whatIsNoServerIsRefused(String servers) {
        assertThatThrownBy(() -> ClientOptions.of(servers))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("host:port");
    }

    @Test
    void anApiKeyIsOneWordAndIsNotShown() {
        ClientOptions options = ClientOptions.of("a:1").withApiKey("s3cret");
        assertThat(options.toString()).contains("a:1").doesNotContain("s3cret");
        for (String bad : new String[] {"", "two words", "line\nbreak", "ä"}) {
            assertThatThrownBy(() -> ClientOptions.of("a:1").withApiKey(bad))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aTimeoutHasBounds() {
        assertThatThrownBy(() -> ClientOptions.of("a:1").withCallTimeout(Duration.ofMillis(9)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> ClientOptions.of("a:1").withCallTimeout(Duration.ofMinutes(2)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aServerThatIsNotThereIsUnavailableInTime() {
        long start = System.nanoTime();
        assertThatThrownBy(() ->
                        TenonClient.connect(ClientOptions.of("127.0.0.1:1").withCallTimeout(Duration.ofMillis(500))))
                .isInstanceOf(BackendUnavailableException.class)
                .hasMessageContaining("127.0.0.1:1");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
    }
}
