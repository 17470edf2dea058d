package dev.tenon.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.architecture.Repository.Source;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is tested on MariaDB is tested on MySQL: docs/guarantees.md says so. */
class MySqlSuitesTest {
    /** Those that are not, and why. */
    private static final Map<String, String> EXCEPT = Map.of(
            "MariaDbByMySqlsDriverTest.java", "is about the other driver",
            "CountedDatabase.java", "counts what a driver sends, and is asked for each of them",
            "TransactionModesTest.java", "kills a process on PostgreSQL and on MariaDB; on MySQL, BankKillTest does",
            "OpenShop.java", "takes the address of any server: ShopTest gives it three",
            "TwoDatabases.java", "an application on two databases, as Bank.java",
            "Bank.java",
                    "an application on two databases: it is about beans, and the modes run on MySQL in their own suites",
            "GlobalTransactionTest.java", "two applications, as Bank.java");

    private static final Pattern COMMENT = Pattern.compile("/\\*(?s:.*?)\\*/|(?<![:\"])//[^\\n]*");
    private static final Pattern MARIADB = Pattern.compile("\\w*(MARIADB|[mM]ariaDb)\\w*");
    private static final Pattern MYSQL = Pattern.compile("\\w*(MYSQL|[mM]ySql)\\w*");

    /**
     * Tests that name MariaDB in their code, by whatever fixture, and neither name MySQL nor have a twin beside them
     * that does.
     */
    private static List<String> onMariaDbAlone(List<Source> tests) {
        Set<String> onMySql = tests.stream()
                .filter(test -> names(test, MYSQL))
                .map(test -> test.module() + "/" + name(test))
                .collect(Collectors.toSet());
        return tests.stream()
                .filter(test -> names(test, MARIADB) && !names(test, MYSQL))
                .filter(test ->
                        !onMySql.contains(test.module() + "/" + name(test).replace("MariaDb", "MySql")))
                .map(MySqlSuitesTest::name)
                .sorted()
                .toList();
    }

    /** Whether a word of the code, which is not the name of the test itself, names the database. */
    private static boolean names(Source test, Pattern database) {
        String itself = name(test).replace(".java", "");
        return database.matcher(COMMENT.matcher(test.text()).replaceAll(""))
                .results()
                .anyMatch(word -> !word.group().equals(itself));
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

    @Test
    void looksAtCodeAndAtEveryFixture() {
        Source fixture = new Source("m", "a/OneTest.java", "class OneTest { On on = On.MARIADB; }");
        Source said = new Source("m", "a/TwoTest.java", "class TwoTest { Place p = mariaDb(); } // and MySqlServer");
        Source twin = new Source("m", "a/MariaDbOneTest.java", "class MariaDbOneTest { MariaDbServer s; }");
        Source elsewhere = new Source("n", "a/MySqlOneTest.java", "class MySqlOneTest { MySqlServer s; }");
        Source copied = new Source("m", "a/MariaDbTwoTest.java", "class MariaDbTwoTest { MariaDbServer s; }");
        Source copy = new Source("m", "a/MySqlTwoTest.java", "class MySqlTwoTest { MariaDbServer s; }");
        assertThat(onMariaDbAlone(List.of(fixture, said, twin, elsewhere, copied, copy)))
                .containsExactly(
                        "MariaDbOneTest.java",
                        "MariaDbTwoTest.java",
                        "MySqlTwoTest.java",
                        "OneTest.java",
                        "TwoTest.java");
    }
}
