package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdOptionsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:2379",
                "http://localhost",
                "ftp://localhost:2379",
                "http://user@localhost:2379",
                "http://localhost:2379/v3",
                "http://local host:2379",
                "http:///x:1",
                "http://localhost:2379?x"
            })
    void aMalformedEndpointIsRefused(String endpoint) {
        assertThatThrownBy(() -> EtcdOptions.of(endpoint))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("http(s)://host:port");
    }

    @Test
    void limitsAreChecked() {
        EtcdOptions options = EtcdOptions.of("http://localhost:2379", "https://[::1]:2379/");
        assertThat(options.endpoints()).hasSize(2);
        assertThatThrownBy(EtcdOptions::of).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withCommandTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> options.withKeyPrefix("")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void certificatesThatAreNotThereAreSaid() {
        Path missing = Path.of("no-such-file.pem");
        EtcdOptions options = EtcdOptions.of("https://127.0.0.1:1")
                .withTls(new EtcdOptions.Tls(Optional.of(missing), Optional.empty()));
        assertThatThrownBy(() -> EtcdBackend.connect(options))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no-such-file.pem");
    }
}
