package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is tested on MariaDB is tested on MySQL: docs/guarantees.md says so. */
class MySqlSuitesTest {
    /** Those that are not, and why. */
    private static final Map<String, String> EXCEPT = Map.of(
            "MariaDbByMySqlsDriverTest.java", "is about the other driver",
            "OpenShop.java", "takes the address of any server: ShopTest gives it three",
            "TwoDatabases.java", "an application on two databases, as Bank.java",
            "Bank.java",
                    "an application on two databases: it is about beans, and the modes run on MySQL in their own suites",
            "GlobalTransactionTest.java", "two applications, as Bank.java");

    private static List<String> onMariaDbAlone(List<Source> tests) {
        Set<String> names = tests.stream().map(MySqlSuitesTest::name).collect(Collectors.toSet());
        return tests.stream()
                .filter(test ->
                        test.text().contains("MariaDbServer") && !test.text().contains("MySqlServer"))
                .map(MySqlSuitesTest::name)
                .filter(name -> name.equals(name.replace("MariaDb", "MySql"))
                        || !names.contains(name.replace("MariaDb", "MySql")))
                .sorted()
                .toList();
    }

    private static String name(Source test) {
        return Path.of(test.file()).getFileName().toString();
    }

    @Test
    void whatRunsOnMariaDbRunsOnMySql() {
        List<Source> all = Repository.modules().stream()
                .flatMap(module -> module.testSources().stream())
                .filter(test -> !name(test).equals("MySqlSuitesTest.java"))
                .toList();
        assertThat(onMariaDbAlone(all)).containsExactlyInAnyOrderElementsOf(EXCEPT.keySet());
    }

    @Test
    void findsOneThatDoesNot() {
        Source alone = new Source("m", "a/OneTest.java", "MariaDbServer.shared()");
        Source both = new Source("m", "a/BothTest.java", "MariaDbServer.shared(), MySqlServer.shared()");
        Source pair = new Source("m", "a/MariaDbOneTest.java", "MariaDbServer.shared()");
        Source other = new Source("m", "a/MySqlOneTest.java", "MySqlServer.shared()");
        assertThat(onMariaDbAlone(List.of(alone, both, pair, other))).containsExactly("OneTest.java");
    }
}
