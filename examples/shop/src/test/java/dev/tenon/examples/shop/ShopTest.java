package dev.tenon.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.MySqlServer;
import dev.tenon.testkit.SqlAddress;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The sale, with the scripts that a reader of the page runs. */
class ShopTest {
    /** Half a minute is usual; a machine with twenty others on it takes its time. */
    private static final long PATIENCE_MINUTES = 11;

    private static final long PIECES = 30;

    @TempDir
    private Path folder;

    @Tag("soak")
    @ParameterizedTest
    @ValueSource(strings = {"MariaDB", "MySQL"})
    void theBooksBalanceThoughServicesAreKilled(String ofStock) throws Exception {
        SqlAddress stock = ofStock.equals("MySQL") ? MySqlServer.shared() : MariaDbServer.shared();
        try (OpenShop shop = OpenShop.at(folder, stock)) {
            CompletableFuture<String> customers = script("load");
            String killed = script("chaos").get(PATIENCE_MINUTES, TimeUnit.MINUTES);
            assertThat(killed).contains("stock is back", "payment is back", "coupons is back", "orders is back");
            assertThat(customers.get(PATIENCE_MINUTES, TimeUnit.MINUTES)).contains("sold out", "the books balance");

            // Not by the shop's own word: what is in the databases.
            long paid = count(shop.orders(), "select count(*) from orders where status = 'PAID'");
            assertThat(paid).isEqualTo(PIECES);
            assertThat(count(shop.orders(), "select count(*) from orders where status = 'NEW'"))
                    .isZero();
            assertThat(count(shop.stock(), "select sold from stock where available = 0 and reserved = 0"))
                    .isEqualTo(PIECES);
            assertThat(count(shop.stock(), "select count(*) from parcel")).isEqualTo(PIECES);
            assertThat(count(shop.stock(), "select count(distinct order_id) from parcel"))
                    .isEqualTo(PIECES);
            assertThat(count(shop.payment(), "select sum(spent) from wallet where available + spent = deposit"))
                    .isEqualTo(PIECES * 90);
            assertThat(count(shop.payment(), "select count(*) from wallet where frozen <> 0 or available < 0"))
                    .isZero();
        }
    }

    private CompletableFuture<String> script(String name) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                Process process = new ProcessBuilder(
                                List.of(Path.of(name).toAbsolutePath().toString(), folder.toString()))
                        .redirectErrorStream(true)
                        .start();
                String said = new String(process.getInputStream().readAllBytes());
                assertThat(process.waitFor()).as(said).isZero();
                return said;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static long count(SqlAddress database, String query) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            assertThat(rows.next()).as(query).isTrue();
            return rows.getLong(1);
        }
    }
}
