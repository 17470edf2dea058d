package dev.tenon.examples;

import dev.tenon.lock.Lease;
import dev.tenon.redis.RedisQuorum;
import java.time.Duration;

/**
 * A lock in several independent Redis servers. Run it with their URIs:
 * {@code redis://a:6379 redis://b:6379 redis://c:6379}.
 */
public final class QuorumLock {
    private QuorumLock() {}

    /** Runs the example. */
    public static void main(String[] args) throws InterruptedException {
        if (args.length < 3) {
            System.out.println("Give me the URIs of 3, better 5, Redis servers that know nothing of each other");
            return;
        }
        // tag::quorum[]
        try (RedisQuorum quorum = RedisQuorum.connect(args)) { // redis://a:6379 redis://b:6379 redis://c:6379
            try (Lease lease = quorum.locks().lock("stock:42").acquire(Duration.ofSeconds(5))) {
                save("42 is sold", lease.token()); // the shelf refuses a smaller token than it has seen
            }
        }
        // end::quorum[]
    }

    private static void save(String what, long token) {
        System.out.println(what + " (token " + token + ")");
    }
}
