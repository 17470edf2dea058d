package dev.tenon.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import dev.tenon.testkit.EtcdAddress;
import dev.tenon.testkit.EtcdServer;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class EtcdDefinitionStoreTest extends DefinitionStoreContract {
    /** A machine that is busy with other tests must not be taken for an etcd that is down. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final EtcdAddress ADDRESS = EtcdServer.shared();
    private static final EtcdOptions OPTIONS = EtcdOptions.of(ADDRESS.endpoint())
            .withKeyPrefix(ADDRESS.keyPrefix())
            .withCommandTimeout(PATIENCE);
    private static final EtcdBackend HERE = EtcdBackend.connect(OPTIONS);
    private static final EtcdBackend THERE = EtcdBackend.connect(OPTIONS);

    @Override
    protected DefinitionStore store() {
        return HERE.definitions();
    }

    @Override
    protected DefinitionStore otherStore() {
        return THERE.definitions();
    }

    @Test
    void pagesOfTheLongestTextsAreTold() {
        String text = "\u4E2D".repeat(DefinitionStore.TEXT_LENGTH_MAX);
        int names = 201;
        IntStream.range(0, names).parallel().forEach(i -> HERE.definitions().putIfAbsent("many-" + i, text));
        assertThat(THERE.definitions().all().entrySet().stream()
                        .filter(e -> e.getKey().startsWith("many-")))
                .hasSize(names)
                .contains(Map.entry("many-200", text));
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
