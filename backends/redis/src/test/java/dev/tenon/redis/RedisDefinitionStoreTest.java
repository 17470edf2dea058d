package dev.tenon.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class RedisDefinitionStoreTest extends DefinitionStoreContract {
    private static final RedisAddress ADDRESS = RedisServer.shared();
    private static final RedisBackend HERE = PatientRedis.connect(ADDRESS.uri());
    private static final RedisBackend THERE = PatientRedis.connect(ADDRESS.uri());

    @Override
    protected DefinitionStore store() {
        return HERE.definitions();
    }

    @Override
    protected DefinitionStore otherStore() {
        return THERE.definitions();
    }

    @Test
    void allAreToldWhereThereAreManyPages() {
        int names = 2_000;
        for (int i = 0; i < names; i++) {
            HERE.definitions().putIfAbsent("many-" + i, "text " + i);
        }
        assertThat(THERE.definitions().all().entrySet().stream()
                        .filter(e -> e.getKey().startsWith("many-")))
                .hasSize(names)
                .contains(Map.entry("many-1999", "text 1999"));
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
