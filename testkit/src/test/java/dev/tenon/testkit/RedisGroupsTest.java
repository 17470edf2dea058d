package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RedisGroupsTest {
    @Test
    void aReplicaTakesThePlaceOfAKilledMasterOfACluster() {
        try (RedisCluster cluster = RedisCluster.start()) {
            RedisServer master = cluster.masterOf("a");
            master.address().command("SET", "a", "1");
            // Two commands on one connection would be needed for WAIT to count: SET is awaited where it must arrive.
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> cluster.partnerOf(master)
                            .address()
                            .command("DBSIZE")
                            .equals("1"));
            RedisServer next = cluster.failOver(master);
            assertThat(next).isSameAs(cluster.masterOf("a")).isNotSameAs(master);
            assertThat(next.address().command("GET", "a")).isEqualTo("1");
            assertThat(master.running()).isFalse();
        }
    }

    @Test
    void aReplicaTakesThePlaceOfAKilledMasterUnderSentinels() {
        try (RedisSentinels group = RedisSentinels.start()) {
            RedisServer master = group.master();
            master.address().command("SET", "a", "1");
            for (RedisServer server : group.servers()) {
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> server.address().command("GET", "a").equals("1"));
            }
            RedisServer next = group.failOver();
            assertThat(next).isSameAs(group.master()).isNotSameAs(master);
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> next.address().command("SET", "a", "2").equals("OK"));
        }
    }
}
