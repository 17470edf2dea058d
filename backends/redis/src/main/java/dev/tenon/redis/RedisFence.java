package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.lock.StaleTokenException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Has Redis refuse the writes of holders whose lease is over. A resource is one hash,
 * {@code <keyPrefix>:guarded:<resource>}, with the greatest {@code token} that it has seen and the {@code value} that
 * was set last: in one key, and so in one slot of a cluster, and written by one script. {@code HGET} reads it from
 * anywhere.
 *
 * <p><b>Promise:</b> after a call with a token has succeeded, none with a smaller one does, for as long as Redis keeps
 * its data; a call that is refused has written nothing. Equal tokens pass: a holder may write more than once, and may
 * repeat a call whose answer was lost ({@link dev.tenon.OutcomeUnknownException}).
 *
 * <p><b>Not promised:</b> a fail-over to a replica, or a crash without {@code appendfsync always}, may lose the
 * greatest token together with the value ({@code docs/backends/redis.md}). Hashes don't expire: delete those of
 * resources that are no more.
 *
 * <p>All tokens of a resource must come from one lock of one store. One round trip a call. Thread-safe; calls block:
 * not for threads of a driver or an event loop. They throw {@link dev.tenon.BackendUnavailableException} if nothing
 * happened.
 */
public final class RedisFence {
    private final RedisScript script;
    private final RedisLink link;
    private final String keyPrefix;

    RedisFence(RedisLink link, RedisScript script, String keyPrefix) {
        this.link = link;
        this.script = script;
        this.keyPrefix = keyPrefix;
    }

    static RedisScript script() {
        return RedisScript.of("fence");
    }

    /**
     * Sets the value of a resource.
     *
     * @param key the resource, a name ({@link Names}), such as that of the lock
     * @param token of the holder's lease, above 0
     * @throws StaleTokenException if the resource has seen a greater token; the value is as it was
     * @throws IllegalArgumentException if that is no name, or no token
     */
    public void set(String key, String value, long token) {
        show(key, token, List.of(String.valueOf(token), Objects.requireNonNull(value, "value")));
    }

    /**
     * The value that was set last; empty if there is none. Who reads in order to write calls {@link #check} with his
     * token first: else an older holder may still change what was read.
     *
     * @throws IllegalArgumentException if that is no name
     */
    public Optional<String> value(String key) {
        return Optional.ofNullable(RedisLink.await(link.ask(key(key), commands -> commands.hget(key(key), "value"))));
    }

    /**
     * Shows a token to a resource, and leaves its value as it is: before reading what is then to be {@link #set}, or
     * for a resource that is kept elsewhere. There it narrows the gap, and does not close it: between this call and
     * what is then done elsewhere, a holder may be paused past its lease. Where the resource can check by itself, let
     * it.
     *
     * @param resource a name ({@link Names})
     * @param token of the holder's lease, above 0
     * @throws StaleTokenException if the resource has seen a greater token
     * @throws IllegalArgumentException if that is no name, or no token
     */
    public void check(String resource, long token) {
        show(resource, token, List.of(String.valueOf(token)));
    }

    private void show(String resource, long token, List<String> arguments) {
        if (token <= 0) {
            throw new IllegalArgumentException("No fencing token: " + token);
        }
        List<Object> reply = RedisLink.await(link.runDurably(new RedisCall(script, List.of(key(resource)), arguments)));
        long greatest = Long.parseLong((String) reply.get(0));
        if (greatest > token) {
            throw new StaleTokenException(resource, token, greatest);
        }
    }

    private String key(String resource) {
        return keyPrefix + ":guarded:" + Names.requireValid("resource name", resource);
    }
}
