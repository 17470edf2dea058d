package dev.tenon.examples.flashsale;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.server.TenonServer;
import dev.tenon.testkit.EtcdServer;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.ZooKeeperServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The sale on every backend: with the lock never more than there is, without it more. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlashSaleTest {
    private static final String LISTENS = "Tenon listens on ";

    private static FlashSale sale;

    @BeforeAll
    static void prepare() throws IOException {
        sale = FlashSale.prepare();
    }

    @AfterAll
    static void cleanUp() throws IOException {
        sale.close();
    }

    @Test
    void withoutTheLockMoreIsSoldThanThereIs() throws Exception {
        assertThat(sale.run(SaleBackend.parse("memory"), false).oversold()).isPositive();
        assertThat(sale.run(new SaleBackend("redis", RedisServer.shared().uri()), false)
                        .oversold())
                .isPositive();
    }

    @Test
    void memory() throws Exception {
        sellsWhatThereIs(SaleBackend.parse("memory"));
    }

    @Test
    void h2() throws Exception {
        sellsWhatThereIs(SaleBackend.parse("h2"));
    }

    @Test
    void mariaDb() throws Exception {
        sellsWhatThereIs(sql("mariadb", MariaDbServer.shared()));
    }

    @Test
    void mySql() throws Exception {
        sellsWhatThereIs(sql("mysql", MySqlServer.shared()));
    }

    @Test
    void postgres() throws Exception {
        sellsWhatThereIs(sql("postgres", PostgresServer.shared()));
    }

    @Test
    void redis() throws Exception {
        sellsWhatThereIs(new SaleBackend("redis", RedisServer.shared().uri()));
    }

    @Test
    @Tag("soak")
    void zooKeeper() throws Exception {
        sellsWhatThereIs(new SaleBackend("zookeeper", ZooKeeperServer.shared().connectString()));
    }

    @Test
    @Tag("soak")
    void etcd() throws Exception {
        sellsWhatThereIs(new SaleBackend("etcd", EtcdServer.shared().endpoint()));
    }

    @Test
    @Tag("soak")
    void raft(@TempDir Path data) throws Exception {
        try (ForkedJvm server = ForkedJvm.start(TenonServer.class, "--port", "0", "--data", data.toString())) {
            String greeting = server.nextLine(line -> line.startsWith(LISTENS), Duration.ofSeconds(60));
            sellsWhatThereIs(
                    new SaleBackend("raft", greeting.substring(LISTENS.length()).split(" ")[0]));
        }
    }

    private static void sellsWhatThereIs(SaleBackend backend) throws Exception {
        FlashSale.Result result = sale.run(backend, true);

        System.out.println(result);
        assertThat(result.sold()).as("%s", result).isEqualTo(FlashSale.STOCK);
    }

    private static SaleBackend sql(String kind, SqlAddress address) {
        return new SaleBackend(
                kind,
                address.with("user=" + address.user() + "&password=" + address.password())
                        .url());
    }
}
