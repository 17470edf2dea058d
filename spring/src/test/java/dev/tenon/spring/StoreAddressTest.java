package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Hosts, ports and names of databases are shown; users, passwords and all that may be one are not. */
class StoreAddressTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "null", textBlock = """
            jdbc:postgresql://db/shop                                   | jdbc:postgresql://db/shop
            jdbc:postgresql://a:5432,b:5433/shop?user=me&password=hush  | jdbc:postgresql://a:5432,b:5433/shop
            jdbc:postgresql://db/shop?user=me@azure&password=hush       | jdbc:postgresql://db/shop
            jdbc:postgresql:shop?password=hush                          | jdbc:postgresql:shop
            jdbc:mysql://me:hush@db:3306/shop                           | jdbc:mysql://db:3306/shop
            jdbc:mysql:loadbalance://me:hu/sh@a,b/shop?x=y              | jdbc:mysql:loadbalance://a,b/shop
            jdbc:mysql://me:hu?sh@db/shop                               | jdbc:mysql://db/shop
            jdbc:mysql://address=(host=db)(user=me)(password=hush)/shop | jdbc:mysql://…
            jdbc:mysql://(host=db,password=p@hush)/shop                 | jdbc:mysql://…
            jdbc:mariadb:replication://a,b/shop?trustStorePassword=hush | jdbc:mariadb:replication://a,b/shop
            jdbc:h2:mem:shop;USER=me;PASSWORD=hush                      | jdbc:h2:mem:shop
            jdbc:h2:~/shop;PASSWORD=hush hush                           | jdbc:h2:~/shop
            jdbc:h2:file:C:\\data\\shop                                 | jdbc:h2:file:C:\\data\\shop
            jdbc:h2:tcp://db:9092/~/shop;PASSWORD=hush                  | jdbc:h2:tcp://db:9092/~/shop
            redis://me:hush@cache:6379/2                                | redis://cache:6379/2
            rediss://:hu%40sh@[::1]:6380/0?timeout=2s                   | rediss://[::1]:6380/0
            redis-sentinel://hush@a:26379,b/0#main                      | redis-sentinel://a:26379,b/0
            redis://me:hush                                             | redis://…
            http://me:hush@etcd:2379                                    | http://etcd:2379
            zk1:2181,zk2:2181/team                                      | zk1:2181,zk2:2181/team
            tenon:7700,tenon2:7700                                      | tenon:7700,tenon2:7700
            me:hush@tenon:7700                                          | tenon:7700
            jdbc:oracle:thin:me/hush@db                                 | jdbc:oracle:thin:…
            """)
    void nothingButThePlaceIsShown(String address, String shown) {
        assertThat(StoreAddress.shown(address)).isEqualTo(shown);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "?password=hush", "hush hush"})
    void whatIsNoAddressIsNotShown(String address) {
        assertThat(StoreAddress.shown(address)).contains("…").doesNotContain("hush");
    }
}
