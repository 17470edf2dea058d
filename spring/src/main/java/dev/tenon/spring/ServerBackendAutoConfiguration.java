package dev.tenon.spring;

import dev.tenon.client.ClientOptions;
import dev.tenon.client.TenonClient;
import dev.tenon.lock.spi.LockStore;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** A Tenon server. */
@AutoConfiguration
@ConditionalOnClass(TenonClient.class)
@ConditionalOnBackend(BackendKind.SERVER)
@ConditionalOnMissingBean(TenonBackend.class)
@EnableConfigurationProperties(TenonProperties.class)
final class ServerBackendAutoConfiguration {
    @Bean
    @ConditionalOnMissingBean
    TenonClient tenonClient(TenonProperties properties) {
        TenonProperties.Server server = properties.server();
        String address = server.address();
        if (address == null) {
            throw Connection.missing("a Tenon server", "tenon.server.address", "");
        }
        return Connection.open(
                new Connection.Place(
                        BackendKind.SERVER, "tenon.server.address", "host:port, with commas between several", address),
                () -> TenonClient.connect(options(address, server)),
                TenonClient::locks);
    }

    @Bean
    TenonBackend tenonBackend(TenonClient client) {
        return new TenonBackend(BackendKind.SERVER.key(), client.locks(), client.ranges(), client::workerIds);
    }

    /** Closed with the backend that it is of. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    LockStore tenonLockStore(TenonClient client) {
        return client.lockStore();
    }

    private static ClientOptions options(String address, TenonProperties.Server given) {
        ClientOptions options = ClientOptions.of(address).withCallTimeout(given.callTimeout());
        if (given.apiKey() != null) {
            options = options.withApiKey(given.apiKey());
        }
        return given.tlsAuthority() == null
                ? options
                : options.withTls(ClientOptions.Tls.trusting(Path.of(given.tlsAuthority())));
    }
}
