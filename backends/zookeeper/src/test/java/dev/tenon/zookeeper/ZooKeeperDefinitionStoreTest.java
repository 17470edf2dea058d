package dev.tenon.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.spi.DefinitionStore;
import dev.tenon.testkit.DefinitionStoreContract;
import dev.tenon.testkit.ZooKeeperAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class ZooKeeperDefinitionStoreTest extends DefinitionStoreContract {
    private static final ZooKeeperAddress ADDRESS = ZooKeeperServer.shared();
    private static final ZooKeeperBackend HERE = PatientZooKeeper.connect(ADDRESS);
    private static final ZooKeeperBackend THERE = PatientZooKeeper.connect(ADDRESS);

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
        int names = 401;
        IntStream.range(0, names).parallel().forEach(i -> HERE.definitions().putIfAbsent("many-" + i, "text " + i));
        assertThat(THERE.definitions().all().entrySet().stream()
                        .filter(e -> e.getKey().startsWith("many-")))
                .hasSize(names)
                .contains(Map.entry("many-400", "text 400"));
    }

    @AfterAll
    static void close() {
        HERE.close();
        THERE.close();
    }
}
