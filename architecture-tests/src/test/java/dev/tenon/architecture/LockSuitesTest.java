package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import dev.tenon.architecture.Repository.Module;
import dev.tenon.architecture.Repository.Source;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every store of locks has the suites that go beyond the contract of its interface: random scripts and histories, and, where
 * it is on a server, faults. Where one module is the backend of several databases, each of them has its own.
 */
class LockSuitesTest {
    private static final Set<String> WITHIN_THE_PROCESS = Set.of("LockScriptContract", "LockHistoryContract");
    private static final Set<String> ON_A_SERVER =
            Set.of("LockScriptContract", "LockFaultsContract", "LockHistoryContract");

    /** What the names of a store's tests begin with, by module. */
    private static final Map<String, Map<String, Set<String>>> STORES = Map.of(
            "backends/memory",
            Map.of("Memory", WITHIN_THE_PROCESS),
            "backends/raft",
            Map.of("Raft", WITHIN_THE_PROCESS),
            "backends/jdbc",
            Map.of(
                    "H2", WITHIN_THE_PROCESS,
                    "MariaDb", ON_A_SERVER,
                    "MySql", ON_A_SERVER,
                    "Postgres", ON_A_SERVER),
            "backends/redis",
            Map.of("Redis", ON_A_SERVER),
            "backends/sharded",
            Map.of("ShardedMemory", WITHIN_THE_PROCESS),
            "backends/zookeeper",
            Map.of("ZooKeeper", ON_A_SERVER),
            "backends/etcd",
            Map.of("Etcd", ON_A_SERVER),
            "client",
            Map.of("Client", ON_A_SERVER));

    @Test
    void everyStoreOfLocksHasTheSuites() {
        List<String> missing = new ArrayList<>();
        for (Module backend : Repository.backends()) {
            boolean locks = ArchitectureTest.classesOf(backend).stream().anyMatch(LockSuitesTest::isLockStore);
            if (locks) {
                Map<String, Set<String>> stores = STORES.getOrDefault(backend.path(), Map.of());
                assertThat(stores).as("stores of " + backend.path()).isNotEmpty();
                stores.forEach((store, suites) -> missing.addAll(missing(store, suites, backend.testSources())));
            }
        }
        assertThat(missing).isEmpty();
    }

    @Test
    void findsAStoreWithoutOne() {
        Source scripts =
                new Source("m", "RedisLockScriptTest.java", "class RedisLockScriptTest extends LockScriptContract {}");
        Source other =
                new Source("m", "H2LockHistoryTest.java", "class H2LockHistoryTest extends LockHistoryContract {}");
        assertThat(missing("Redis", WITHIN_THE_PROCESS, List.of(scripts, other)))
                .containsExactly("Redis has no test that extends LockHistoryContract");
    }

    private static boolean isLockStore(JavaClass type) {
        return !type.isInterface()
                && ContractCoverage.spiOf(type)
                        .anyMatch(spi -> spi.getSimpleName().matches("LockStore|RegisterStore"));
    }

    private static List<String> missing(String store, Set<String> suites, List<Source> tests) {
        List<Source> own = tests.stream()
                .filter(source ->
                        Path.of(source.file()).getFileName().toString().startsWith(store))
                .toList();
        Set<String> extended = ContractCoverage.of(List.of()).contractsExtended(own);
        return Stream.of(suites)
                .flatMap(Set::stream)
                .filter(suite -> !extended.contains(suite))
                .map(suite -> store + " has no test that extends " + suite)
                .collect(Collectors.toCollection(TreeSet::new))
                .stream()
                .toList();
    }
}
