package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.SqlAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application has the driver of its database and no other: nothing of the backend needs one of the rest. */
class LoneDriverTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    private static String words(String driver, SqlAddress address) {
        return driver + " " + address.url() + " " + address.user() + " " + address.password();
    }

    @Test
    void eachDatabaseNeedsItsOwnDriverAndSaysSoWhenItIsMissing() {
        String h2 = "h2 jdbc:h2:" + folder.resolve("lone") + "  ";
        String mariaDb = words("mariadb-java-client", MariaDbServer.shared().newDatabase());
        SqlAddress mySqlAt = MySqlServer.shared();
        String mySql = words("mysql-connector-j", mySqlAt);
        String mySqlByMariaDb =
                words("mariadb-java-client", mySqlAt.newDatabase().with("permitMysqlScheme=true"));
        String postgres = words("postgresql", PostgresServer.shared().newDatabase());
        List<String> checked = List.of("-XX:+BytecodeVerificationRemote", "-XX:+BytecodeVerificationLocal");
        try (ForkedJvm jvm = ForkedJvm.start(LoneDriver.class, checked, h2, mariaDb, mySql, postgres, mySqlByMariaDb)) {
            for (String[] driver : new String[][] {
                {"h2", "jdbc:h2:", "com.h2database:h2"},
                {"mariadb-java-client", "jdbc:mariadb:", "org.mariadb.jdbc:mariadb-java-client"},
                {"mysql-connector-j", "jdbc:mysql:", "com.mysql:mysql-connector-j"},
                {"postgresql", "jdbc:postgresql:", "org.postgresql:postgresql"}
            }) {
                assertThat(outcome(jvm, driver[0] + " alone")).isEqualTo("works 3");
                assertThat(outcome(jvm, driver[0] + " without"))
                        .contains("No driver for " + driver[1] + " is on the class path; add " + driver[2]);
                assertThat(outcome(jvm, driver[0] + " elsewhere")).isEqualTo("works 3");
            }
            assertThat(outcome(jvm, "mariadb-java-client alone")).as("on MySQL").isEqualTo("works 3");
            assertThat(outcome(jvm, "mysql without"))
                    .contains("add com.mysql:mysql-connector-j", "permitMysqlScheme")
                    .doesNotContain("hush");
            assertThat(jvm.errors()).doesNotContain("NoClassDefFoundError");
        }
    }

    private static String outcome(ForkedJvm jvm, String what) {
        String line = jvm.nextLine(said -> said.startsWith(what + ": "), PATIENCE);
        return line.substring(what.length() + 2);
    }
}
