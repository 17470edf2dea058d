package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.tenon.architecture.Repository.Module;
import dev.tenon.architecture.Repository.Source;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContractCoverageTest {
    private static final String STORE =
            "package dev.tenon.redis; class RedisRangeStore extends Base implements dev.tenon.id.spi.RangeStore {"
                    + " public dev.tenon.id.spi.IdRange next(String name, long count) { return null; } public void"
                    + " define(String name, dev.tenon.id.spi.RangeDefinition definition) {} public"
                    + " java.util.Optional<dev.tenon.id.spi.RangeDefinition> definition(String name) { return null; }"
                    + " public long raiseTo(String name, long floor) { return 0; } }";
    private static final String BASE = "package dev.tenon.redis; class Base {}";
    private static final String SECOND =
            "package dev.tenon.redis; class RedisClusterRangeStore extends RedisRangeStore {}";

    @TempDir
    Path folder;

    @Test
    void everyImplementationHasATestThatExtendsItsContract() {
        ContractCoverage contracts = ContractCoverage.of(testkit().mainSources());
        List<Module> backends = Repository.backends();
        assertThat(backends)
                .extracting(Module::name)
                .contains("memory", "jdbc", "redis", "zookeeper", "etcd", "raft", "client");
        for (Module backend : backends) {
            JavaClasses classes = ArchitectureTest.classesOf(backend);
            assertThat(contracts.missing(classes, backend.testSources()))
                    .as(backend.path())
                    .isEmpty();
        }
    }

    @Test
    void knowsEverySpiAndEachHasAContractThatIsUsed() {
        Set<String> spis = ContractCoverage.spis(ArchitectureTest.CLASSES);
        assertThat(spis)
                .containsExactlyInAnyOrder(
                        "BarrierStore",
                        "BuilderConfigStore",
                        "DefinitionStore",
                        "LocalTransactionStore",
                        "LockStore",
                        "MultiLockStore",
                        "OutboxStore",
                        "RangeStore",
                        "RegisterStore",
                        "TransactionStore",
                        "WorkerIdSource");
        Set<String> contracts = contracts();
        assertThat(contracts)
                .containsAll(spis.stream().map(spi -> spi + "Contract").toList());
        ContractCoverage coverage = ContractCoverage.of(testkit().mainSources());
        Set<String> used = Repository.modules().stream()
                .flatMap(module -> coverage.contractsExtended(module.testSources()).stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).containsAll(contracts);
    }

    @Test
    void findsAnImplementationWithoutATest() {
        assertThat(missing("class OtherTest {}"))
                .containsExactly("dev.tenon.redis.RedisRangeStore has no test that extends RangeStoreContract");
    }

    @Test
    void aTestOfAnotherContractIsNotEnough() {
        assertThat(missing("class RedisRangeStoreTest extends LockStoreContract {}"))
                .hasSize(1);
    }

    @Test
    void aTestThatIsNeverRunIsNotEnough() {
        assertThat(missing("abstract class RedisRangeStoreTest extends RangeStoreContract {}"))
                .hasSize(1);
        assertThat(missing("class RedisRangeStoreCheck extends RangeStoreContract {}"))
                .hasSize(1);
    }

    @Test
    void acceptsATestThatExtendsTheContract() {
        assertThat(missing("class RedisRangeStoreTest extends RangeStoreContract {}"))
                .isEmpty();
        assertThat(missing("class RedisRangeStoreTest extends dev.tenon.testkit.RangeStoreContract {}"))
                .isEmpty();
    }

    @Test
    void acceptsATestThatExtendsItThroughAnother() {
        assertThat(missing("abstract class Common extends RangeStoreContract {} class RedisTest extends Common {}"))
                .isEmpty();
        assertThat(missing("class RedisTest { class Ranges extends RangeStoreContract {} }"))
                .isEmpty();
        assertThat(missing("class RedisTest { abstract class Common extends RangeStoreContract {}"
                        + " class Ranges extends Common {} }"))
                .isEmpty();
    }

    @Test
    void acceptsATestOfAContractThatExtendsAnother() {
        assertThat(missing("abstract class Wider extends RangeStoreContract {} class RedisTest extends Wider {}"))
                .isEmpty();
        assertThat(ContractCoverage.of(List.of())
                        .contractsExtended(List.of(new Source(
                                "backends/redis",
                                "T.java",
                                "class ATest extends AContract {} abstract class AContract extends BContract {}"))))
                .containsExactlyInAnyOrder("AContract", "BContract");
    }

    @Test
    void twoImplementationsNeedATestEach() {
        String test = "class RedisRangeStoreTest extends RangeStoreContract {}";
        assertThat(missing(List.of(STORE, BASE, SECOND), test))
                .containsExactly("dev.tenon.redis.RedisClusterRangeStore has no test that extends RangeStoreContract");
        assertThat(missing(
                        List.of(STORE, BASE, SECOND),
                        test,
                        "class ClusterTest extends RangeStoreContract { RedisClusterRangeStore s; }"))
                .isEmpty();
    }

    private List<String> missing(String test) {
        return missing(List.of(STORE, BASE), test);
    }

    private List<String> missing(List<String> main, String... tests) {
        JavaClasses classes = new ClassFileImporter().importPath(Compiled.into(folder, main.toArray(String[]::new)));
        List<Source> sources = IntStream.range(0, tests.length)
                .mapToObj(i -> new Source("backends/redis", "T" + i + ".java", tests[i]))
                .toList();
        return ContractCoverage.of(List.of()).missing(classes, sources);
    }

    private static Module testkit() {
        return Repository.published().stream()
                .filter(module -> module.path().equals("testkit"))
                .findFirst()
                .orElseThrow();
    }

    private static Set<String> contracts() {
        return testkit().mainSources().stream()
                .map(source -> Path.of(source.file()).getFileName().toString().replace(".java", ""))
                .filter(name -> name.endsWith("Contract"))
                .collect(Collectors.toSet());
    }
}
