package dev.tenon.redis;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import java.util.ArrayList;
import java.util.List;

/** The calls of a lock store as calls of its scripts. */
record RedisLockCalls(RedisLockKeys keys, RedisLockScripts scripts) {
    private static final String CLAIM_LEASE = String.valueOf(RedisLockReplies.micros(LockMachine.CLAIM_LEASE));

    RedisCall acquire(Acquire request) {
        List<String> wish = new ArrayList<>(wish(request));
        wish.add(String.valueOf(RedisLockReplies.micros(request.waitTime())));
        return of(scripts.acquire(), request.name(), wish.toArray(String[]::new));
    }

    /** All of these locks must be in one slot. */
    RedisCall acquireAll(List<Acquire> requests) {
        List<String> all = new ArrayList<>();
        List<String> arguments = new ArrayList<>(List.of(requests.get(0).name(), keys.channelPrefix(), CLAIM_LEASE));
        for (Acquire request : requests) {
            all.addAll(keys.of(request.name()));
            arguments.add(request.name());
            arguments.addAll(wish(request));
        }
        return new RedisCall(scripts.acquireAll(), all, arguments);
    }

    RedisCall release(Release request) {
        return of(scripts.release(), request.name(), String.valueOf(request.token()));
    }

    RedisCall renew(Renew request) {
        return of(
                scripts.renew(),
                request.name(),
                String.valueOf(request.token()),
                String.valueOf(RedisLockReplies.micros(request.lease().orElseThrow())));
    }

    RedisCall cancel(Cancel request) {
        return of(scripts.cancel(), request.name(), request.requestId());
    }

    RedisCall inspect(String name) {
        return of(scripts.inspect(), name);
    }

    RedisCall evict(String name, long token) {
        return of(scripts.evict(), name, String.valueOf(token));
    }

    RedisCall revoke(String name, String by) {
        return of(scripts.revoke(), name, by);
    }

    private RedisCall of(RedisScript script, String name, String... arguments) {
        List<String> all = new ArrayList<>(3 + arguments.length);
        all.add(name);
        all.add(keys.channelPrefix());
        all.add(CLAIM_LEASE);
        all.addAll(List.of(arguments));
        return new RedisCall(script, keys.of(name), all);
    }

    /** A request as the scripts take it, but for its name and its wait. */
    private static List<String> wish(Acquire request) {
        return List.of(
                request.requestId(),
                request.sessionId(),
                request.owner(),
                String.valueOf(RedisLockReplies.micros(request.lease().orElseThrow())),
                RedisLockReplies.text(request.terms().mode()),
                String.valueOf(RedisLockReplies.micros(request.terms().lockDelay())),
                request.terms().converts().isPresent()
                        ? String.valueOf(request.terms().converts().getAsLong())
                        : "",
                request.terms().fair() ? "1" : "0");
    }
}
