package dev.tenon.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.etcd.EtcdOptions;
import dev.tenon.zookeeper.ZooKeeperOptions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code --store}: what it refuses, and that it never shows a password. */
class StoreLocationTest {
    private static StoreLocation of(String uri) {
        return new StoreLocation(uri, Optional.empty(), Optional.empty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"mongodb://host", "jdbc:oracle:thin:@host", "http://host", "host:6379", "", "/var/data", "REDIS"
            })
    void aStoreThatIsNotThereIsRefusedNamingThoseThatAre(String uri) {
        assertThatThrownBy(() -> of(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:postgresql://")
                .hasMessageContaining("jdbc:mariadb://")
                .hasMessageContaining("jdbc:h2:")
                .hasMessageContaining("redis://")
                .hasMessageContaining("zookeeper://")
                .hasMessageContaining("etcd://");
    }

    @Test
    void credentialsThatComeTwiceOrByHalvesAreRefused() {
        assertThatThrownBy(() -> new StoreLocation("redis://u:p@host", Optional.of("u"), Optional.empty()))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> new StoreLocation("jdbc:mariadb://host/db?user=u", Optional.of("u"), Optional.empty()))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> new StoreLocation("jdbc:mariadb://host/db", Optional.empty(), Optional.of("p")))
                .hasMessageContaining("no user");
        assertThatThrownBy(() -> new StoreLocation("zookeeper://u:p@a", Optional.of("u"), Optional.of("p")))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> new StoreLocation("etcd://a", Optional.empty(), Optional.of("p")))
                .hasMessageContaining("no user");
    }

    @ParameterizedTest
    @ValueSource(strings = {"zookeeper://", "zookeeper:///app", "etcd://", "etcds://u:p@", "etcd://u:p@/app"})
    void aStoreWithoutAHostIsRefused(String uri) {
        assertThatThrownBy(() -> of(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no host");
    }

    @Test
    void aZooKeeperHasServersAndAChroot() {
        assertThat(of("zookeeper://a:1,b,c:3/team/app").zooKeeperConnectString())
                .isEqualTo("a:1,b,c:3/team/app");
        assertThat(of("zookeeper://a:1/").zooKeeperConnectString()).isEqualTo("a:1");
        assertThat(of("zookeeper://a").zooKeeperOptions()).isEqualTo(ZooKeeperOptions.DEFAULT);
        StoreLocation inside = of("zookeeper://u:p%40ss+%2F@a:1/app");
        assertThat(inside.zooKeeperConnectString()).isEqualTo("a:1/app");
        assertThat(inside.zooKeeperOptions().credentials()).contains("u:p@ss+/");
        assertThat(new StoreLocation("zookeeper://a", Optional.of("u"), Optional.of("p"))
                        .zooKeeperOptions()
                        .credentials())
                .contains("u:p");
    }

    @Test
    void anEtcdHasMembersAndAKeyPrefix() {
        assertThat(of("etcd://a:1,b").etcdOptions())
                .isEqualTo(EtcdOptions.of("http://a:1", "http://b:2379").withCommandTimeout(Duration.ofSeconds(5)));
        EtcdOptions secure = of("etcds://u:p%40@a/team/app").etcdOptions();
        assertThat(secure.endpoints()).containsExactly("https://a:2379");
        assertThat(secure.keyPrefix()).isEqualTo("team/app");
        assertThat(secure.user()).contains(new EtcdOptions.User("u", "p@"));
        assertThat(new StoreLocation("etcd://a", Optional.of("u"), Optional.of("p"))
                        .etcdOptions()
                        .user())
                .contains(new EtcdOptions.User("u", "p"));
    }

    @ParameterizedTest
    @CsvSource({
        "redis://u:s3cret@host:1/2, redis://host:1/2",
        "redis://:s3cret@host, redis://host",
        "'redis-cluster://u:s3cret@a:1,b:2', 'redis-cluster://a:1,b:2'",
        "'rediss-sentinel://u:s3cret@a:1,b:2/3#main', 'rediss-sentinel://a:1,b:2/3#main'",
        "'zookeeper://u:s3cret@a:1,b:2/app', 'zookeeper://a:1,b:2/app'",
        "etcds://u:s3cret@a:1, etcds://a:1",
        "jdbc:postgresql://host/db?user=u&password=s3cret&ssl=true, jdbc:postgresql://host/db?user=u&password=…&ssl=true",
        "jdbc:h2:file:/x;USER=sa;PASSWORD=s3cret, jdbc:h2:file:/x;USER=sa;PASSWORD=…",
    })
    void aPasswordIsNeverShown(String uri, String shown) {
        StoreLocation address = of(uri);
        assertThat(address.shown()).isEqualTo(shown);
        assertThat(address.toString()).isEqualTo(shown);
        assertThat(address.withoutSecrets("No suitable driver found for " + uri))
                .doesNotContain("s3cret");
    }

    @Test
    void aPasswordBesideTheUriIsNotShownEither() {
        StoreLocation address = new StoreLocation("redis://host", Optional.empty(), Optional.of("p@ss/w:rd"));
        assertThat(address.redisUri()).isEqualTo("redis://:p%40ss%2Fw%3Ard@host");
        assertThat(new StoreLocation("redis-cluster://a,b", Optional.of("u"), Optional.of("p")).redisUri())
                .isEqualTo("redis-cluster://u:p@a,b");
        assertThat(address.toString()).doesNotContain("p@ss");
        assertThat(address.withoutSecrets("AUTH p@ss/w:rd failed")).doesNotContain("p@ss");
    }
}
