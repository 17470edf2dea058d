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
import org.junit.jupiter.api.Test;

/**
 * Every store of locks has the suites that go beyond the contract of its interface: random scripts and histories, and,
 * where it is on a server, faults. Where one module is the backend of several databases, each of them has its own.
 */
class LockSuitesTest {
    private static final Set<String> WITHIN_THE_PROCESS = Set.of("LockScriptContract", "LockHistoryContract");
    private static final Set<String> ON_A_SERVER =
            Set.of("LockScriptContract", "LockFaultsContract", "LockHistoryContract");

    /** Its servers are faulty in tests of its own, as no single one of them decides. */
    private static final Set<String> OF_A_QUORUM = Set.of("LockScriptContract");

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
            Map.of("Redis", ON_A_SERVER, "RedisQuorum", OF_A_QUORUM),
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
            missing.addAll(missing(STORES.get(backend.path()), backend.testSources()));
        }
        assertThat(missing).isEmpty();
    }

    /** Each backend has locks, however they are made. */
    @Test
    void everyBackendIsAmongThem() {
        assertThat(Repository.backends()).extracting(Module::path).containsExactlyInAnyOrderElementsOf(STORES.keySet());
    }

    @Test
    void everySecondStoreOfAModuleIsAmongThem() {
        List<String> unknown = new ArrayList<>();
        for (Module backend : Repository.backends()) {
            List<String> stores = ArchitectureTest.classesOf(backend).stream()
                    .filter(LockSuitesTest::isLockStore)
                    .map(JavaClass::getSimpleName)
                    .toList();
            unknown.addAll(unknown(stores, STORES.get(backend.path()).keySet()));
        }
        assertThat(unknown).isEmpty();
        assertThat(ArchitectureTest.CLASSES.stream().filter(LockSuitesTest::isLockStore))
                .extracting(JavaClass::getSimpleName)
                .contains("MemoryLockStore", "RedisQuorumLockStore");
    }

    @Test
    void findsAStoreWithoutOne() {
        Source scripts =
                new Source("m", "RedisLockScriptTest.java", "class RedisLockScriptTest extends LockScriptContract {}");
        Source other =
                new Source("m", "H2LockHistoryTest.java", "class H2LockHistoryTest extends LockHistoryContract {}");
        assertThat(missing(Map.of("Redis", WITHIN_THE_PROCESS), List.of(scripts, other)))
                .containsExactly("Redis has no test that extends LockHistoryContract");
    }

    @Test
    void theTestsOfAStoreWithALongerNameAreNotItsOwn() {
        Source scripts = new Source(
                "m", "RedisQuorumScriptTest.java", "class RedisQuorumScriptTest extends LockScriptContract {}");
        Map<String, Set<String>> both = Map.of("Redis", OF_A_QUORUM, "RedisQuorum", OF_A_QUORUM);
        assertThat(missing(both, List.of(scripts)))
                .containsExactly("Redis has no test that extends LockScriptContract");
    }

    @Test
    void findsASecondStoreThatIsNotAmongThem() {
        assertThat(unknown(List.of("RedisLockStore", "RedisFastLockStore"), Set.of("Redis")))
                .containsExactly("RedisFastLockStore");
        assertThat(unknown(List.of("JdbcLockStore"), Set.of("H2", "MariaDb"))).isEmpty();
    }

    private static List<String> unknown(List<String> stores, Set<String> known) {
        return stores.stream()
                .filter(store -> stores.size() > 1 && !known.contains(store.replace("LockStore", "")))
                .toList();
    }

    private static boolean isLockStore(JavaClass type) {
        return !type.isInterface()
                && !type.getSimpleName().isEmpty()
                && ContractCoverage.spiOf(type)
                        .anyMatch(spi -> spi.getSimpleName().matches("LockStore|RegisterStore"));
    }

    private static List<String> missing(Map<String, Set<String>> stores, List<Source> tests) {
        Set<String> missing = new TreeSet<>();
        stores.forEach((store, suites) -> {
            List<Source> own = tests.stream()
                    .filter(source -> isOf(source, store, stores.keySet()))
                    .toList();
            Set<String> extended = ContractCoverage.of(List.of()).contractsExtended(own);
            suites.stream()
                    .filter(suite -> !extended.contains(suite))
                    .map(suite -> store + " has no test that extends " + suite)
                    .forEach(missing::add);
        });
        return List.copyOf(missing);
    }

    /** Whether a test's name begins with that of the store, and with no longer one of another. */
    private static boolean isOf(Source test, String store, Set<String> stores) {
        String name = Path.of(test.file()).getFileName().toString();
        return name.startsWith(store)
                && stores.stream().noneMatch(other -> other.length() > store.length() && name.startsWith(other));
    }
}
