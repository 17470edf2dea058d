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
    void noTestOfAContractIsReplaced() {
        ContractCoverage contracts = ContractCoverage.of(testkit().mainSources());
        for (Module module : Repository.modules()) {
            if (!module.path().equals("testkit")) {
                assertThat(contracts.replaced(module.testSources()))
                        .as(module.path())
                        .isEmpty();
            }
        }
    }

    @Test
    void knowsEverySpiAndEachHasAContractThatIsUsed() {
        Set<String> spis = ContractCoverage.spis(
                ArchitectureTest.CLASSES,
                Repository.backends().stream().map(Module::name).collect(Collectors.toSet()));
        assertThat(spis)
                .containsExactlyInAnyOrder(
                        "BarrierStore",
                        "BuilderConfigStore",
                        "DefinitionStore",
                        "LocalTransactionStore",
                        "LockStore",
                        "MultiLockStore",
                        "OutboxOperations",
                        "OutboxStore",
                        "RangeStore",
                        "RegisterStore",
                        "TransactionStore",
                        "WorkerIdSource");
        Set<String> contracts = contracts();
        assertThat(contracts)
                .containsAll(spis.stream().map(spi -> spi + "Contract").toList());
        ContractCoverage coverage = ContractCoverage.of(testkit().mainSources());
        assertThat(contracts).allMatch(coverage::hasTests);
        Set<String> used = Repository.modules().stream()
                .flatMap(module -> coverage.contractsExtended(module.testSources()).stream())
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(used).containsAll(contracts);
    }

    @Test
    void looksAtEveryInterfaceOfAnSpiPackageAndOfThoseBelowIt() {
        String seam = "package dev.tenon.lock.spi.below; public interface Registers { String read(); }";
        String other = "package dev.tenon.tx.spi; public interface Journal { String read(); }";
        String outside = "package dev.tenon.tx.global; public interface Ledger { String read(); }";
        String backend = "package dev.tenon.redis; class RedisAll implements dev.tenon.lock.spi.below.Registers,"
                + " dev.tenon.tx.spi.Journal, dev.tenon.tx.global.Ledger { public String read() { return null; } }";
        assertThat(missing(List.of(seam, other, outside, backend), "class OtherTest {}"))
                .containsExactly(
                        "dev.tenon.redis.RedisAll has no test that extends JournalContract",
                        "dev.tenon.redis.RedisAll has no test that extends RegistersContract");
        assertThat(missing(
                        List.of(seam, other, outside, backend),
                        "class ATest extends JournalContract {}",
                        "class BTest extends RegistersContract {}"))
                .isEmpty();
    }

    @Test
    void callbacksAreForTheCallersOfASeam() {
        String seam =
                "package dev.tenon.lock.spi; public interface Watched { void watch(Told told); void join(Watched w); }";
        String callback = "package dev.tenon.lock.spi; public interface Told { void changed(); }";
        String told = "package dev.tenon.redis; class RedisTold implements dev.tenon.lock.spi.Told {"
                + " public void changed() {} }";
        String watched = "package dev.tenon.redis; class RedisWatched implements dev.tenon.lock.spi.Watched {"
                + " public void watch(dev.tenon.lock.spi.Told told) {} public void join(dev.tenon.lock.spi.Watched w) {} }";
        assertThat(missing(List.of(seam, callback, told, watched), "class OtherTest {}"))
                .containsExactly("dev.tenon.redis.RedisWatched has no test that extends WatchedContract");
    }

    @Test
    void aClassWithoutANameIsNotThatOfEveryTest() {
        String seam = "package dev.tenon.lock.spi; public interface Watched { void watch(); }";
        String made = "package dev.tenon.redis; class RedisMaker { Object o = new dev.tenon.lock.spi.Watched() {"
                + " public void watch() {} }; }";
        String named = "package dev.tenon.redis; class RedisWatched implements dev.tenon.lock.spi.Watched {"
                + " public void watch() {} }";
        assertThat(missing(List.of(seam, made, named), "class ATest extends WatchedContract { RedisWatched w; }"))
                .containsExactly("dev.tenon.redis.RedisMaker$1 has no test that extends WatchedContract");
        assertThat(missing(
                        List.of(seam, made, named),
                        "class ATest extends WatchedContract { RedisWatched w; }",
                        "class BTest extends WatchedContract { RedisMaker m; }"))
                .isEmpty();
    }

    @Test
    void aContractOfItsOwnIsNotEnough() {
        JavaClasses classes = classes(List.of(STORE, BASE));
        ContractCoverage contracts =
                ContractCoverage.of(List.of(new Source("testkit", "C.java", "abstract class RangeStoreContract {}")));
        Source own = new Source("backends/redis", "D.java", "abstract class RangeStoreContract {}");
        Source test = new Source("backends/redis", "T.java", "class RedisTest extends RangeStoreContract {}");
        assertThat(contracts.missing(classes, List.of(test))).isEmpty();
        assertThat(contracts.missing(classes, List.of(own, test)))
                .containsExactly("RangeStoreContract is a class of the tests of this module, and not of testkit");
    }

    @Test
    void findsATestOfAContractThatIsReplaced() {
        ContractCoverage contracts = ContractCoverage.of(List.of(new Source(
                "testkit",
                "C.java",
                "abstract class AContract { @Test void a() {} void b() {} } abstract class NoneContract {}"
                        + " abstract class WiderContract extends AContract {}")));
        Source test = new Source(
                "backends/redis", "T.java", "class ATest extends AContract { @Override void a() {} void b() {} }");
        Source through = new Source(
                "backends/redis",
                "U.java",
                "class BTest extends CTest {} class CTest extends WiderContract { void a() {} }");
        assertThat(contracts.replaced(List.of(test, through)))
                .containsExactly("T.java replaces AContract.a", "U.java replaces AContract.a");
        assertThat(contracts.hasTests("AContract")).isTrue();
        assertThat(contracts.hasTests("WiderContract")).isTrue();
        assertThat(contracts.hasTests("NoneContract")).isFalse();
        assertThat(contracts.hasTests("UnheardOfContract")).isFalse();
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
        assertThat(missing("@Tag(\"soak\") class RedisRangeStoreTest extends RangeStoreContract {}"))
                .hasSize(1);
        assertThat(missing("class RedisTest { static class Ranges extends RangeStoreContract {} }"))
                .hasSize(1);
        assertThat(missing("@Tag(\"soak\") class RedisTest { @Nested class Ranges extends RangeStoreContract {} }"))
                .hasSize(1);
        assertThat(missing("abstract class RedisTest { @Nested class Ranges extends RangeStoreContract {} }"))
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
        assertThat(missing("class RedisTest { @Nested class Ranges extends RangeStoreContract {} }"))
                .isEmpty();
        assertThat(missing("class RedisTest { abstract class Common extends RangeStoreContract {}"
                        + " @org.junit.jupiter.api.Nested class Ranges extends Common {} }"))
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
        assertThat(
                        missing(
                                List.of(STORE, BASE, SECOND),
                                test,
                                "/** RedisClusterRangeStore */ class ClusterTest extends RangeStoreContract {} // RedisClusterRangeStore"))
                .hasSize(1);
    }

    private List<String> missing(String test) {
        return missing(List.of(STORE, BASE), test);
    }

    private List<String> missing(List<String> main, String... tests) {
        JavaClasses classes = classes(main);
        List<Source> sources = IntStream.range(0, tests.length)
                .mapToObj(i -> new Source("backends/redis", "T" + i + ".java", tests[i]))
                .toList();
        return ContractCoverage.of(List.of()).missing(classes, sources);
    }

    private JavaClasses classes(List<String> main) {
        return new ClassFileImporter().importPath(Compiled.into(folder, main.toArray(String[]::new)));
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
