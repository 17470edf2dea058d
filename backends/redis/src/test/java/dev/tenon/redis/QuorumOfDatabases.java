package dev.tenon.redis;

import dev.tenon.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Two processes' connections to three databases of one server, each of which stands for a server of its own. */
final class QuorumOfDatabases implements AutoCloseable {
    // Channels are the whole server's: a prefix for each database keeps the pushes of one from the others.
    private final List<RedisOptions> nodes = IntStream.range(0, 3)
            .mapToObj(i -> RedisOptions.of(RedisServer.shared().uri())
                    .withKeyPrefix("node" + i)
                    .withCommandTimeout(Duration.ofSeconds(15)))
            .toList();
    private final RedisQuorum here = RedisQuorum.connect(nodes);
    private final RedisQuorum there = RedisQuorum.connect(nodes);

    RedisQuorum here() {
        return here;
    }

    RedisQuorum there() {
        return there;
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
