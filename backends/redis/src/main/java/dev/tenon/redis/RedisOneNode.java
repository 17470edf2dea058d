package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;

/**
 * One Redis that has all keys: that of an address, or that which Sentinels name whenever a connection is made. When it
 * has failed over, connections to the old master break, and the new ones lead to the new master; and pushes come by
 * them too.
 */
final class RedisOneNode implements RedisNodes {
    private final RedisTarget target;
    private final RedisOptions options;
    private final RedisNode node;

    RedisOneNode(RedisTarget target, RedisDriver driver, RedisOptions options) {
        this.target = target;
        this.options = options;
        this.node = new RedisNode(target.seeds().get(0), driver, options);
    }

    @Override
    public void start() {
        try {
            node.connection().join();
        } catch (CompletionException e) {
            throw new BackendUnavailableException(
                    "Redis at " + options.address() + " can't be reached: " + RedisErrors.rootMessage(e), e);
        }
    }

    @Override
    public Optional<RedisNode> of(String key) {
        return Optional.of(node);
    }

    @Override
    public Optional<RedisNode> redirected(String error) {
        return Optional.empty();
    }

    @Override
    public List<RedisNode> all() {
        return List.of(node);
    }

    @Override
    public RedisURI forPushes() {
        return target.seeds().get(0);
    }

    @Override
    public void suspect(RedisNode suspected, Throwable failure) {
        // A master that was made a replica and has kept its connections: the Sentinels know a better one.
        if (target.kind() == RedisTarget.Kind.SENTINEL
                && String.valueOf(failure.getMessage()).contains("READONLY")) {
            node.drop();
        }
    }

    @Override
    public void runOnce() {
        // There is nothing to look for: whoever has the address, or is named, is found when a connection is made.
    }

    @Override
    public void close() {
        node.close();
    }
}
