package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sequences as hashes of Redis, one a name, that never expire; each call is one script and one round trip. */
final class RedisRangeStore implements RangeStore {
    private final RedisScript next = RedisScript.of("range-open", "range-next");
    private final RedisScript define = RedisScript.of("range-open", "range-define");
    private final RedisScript raise = RedisScript.of("range-open", "range-raise");
    private final RedisScript definition = RedisScript.of("range-definition");
    private final RedisLink link;
    private final String keyPrefix;

    RedisRangeStore(RedisLink link, String keyPrefix) {
        this.link = link;
        this.keyPrefix = keyPrefix;
    }

    List<RedisScript> scripts() {
        return List.of(next, define, raise, definition);
    }

    @Override
    public IdRange next(String name, long count) {
        IdRange.requireCount(count);
        List<Object> reply = run(next, name, RangeDefinition.DEFAULT, String.valueOf(count));
        if (reply.get(0).equals("EXHAUSTED")) {
            throw exhausted(name);
        }
        return new IdRange(number(reply, 1), number(reply, 2), number(reply, 3));
    }

    @Override
    public void define(String name, RangeDefinition wanted) {
        RangeDefinition known = definition(run(define, name, wanted));
        if (!known.equals(wanted)) {
            throw new DefinitionConflictException("Sequence " + name + " exists as " + known + ", not as " + wanted);
        }
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        List<Object> reply = RedisLink.await(link.run(new RedisCall(definition, List.of(key(name)), List.of())));
        return reply.isEmpty() ? Optional.empty() : Optional.of(definition(reply));
    }

    @Override
    public long raiseTo(String name, long floor) {
        // Below zero there is no number to stay above of: -1 moves nothing.
        List<Object> reply = run(raise, name, RangeDefinition.DEFAULT, String.valueOf(Math.max(floor, -1)));
        if (reply.get(0).equals("EXHAUSTED")) {
            throw exhausted(name);
        }
        return number(reply, 1);
    }

    private List<Object> run(RedisScript script, String name, RangeDefinition begin, String... arguments) {
        List<String> all = new ArrayList<>(5);
        all.add(String.valueOf(begin.start()));
        all.add(String.valueOf(begin.step()));
        all.add(String.valueOf(begin.max()));
        all.add(String.valueOf((begin.max() - begin.start()) / begin.step()));
        all.addAll(List.of(arguments));
        return RedisLink.await(link.runDurably(new RedisCall(script, List.of(key(name)), all)));
    }

    private String key(String name) {
        return keyPrefix + ":range:" + Names.requireValid("sequence name", name);
    }

    private static RangeDefinition definition(List<Object> reply) {
        return new RangeDefinition(number(reply, 0), number(reply, 1), number(reply, 2));
    }

    private static long number(List<Object> reply, int index) {
        return Long.parseLong((String) reply.get(index));
    }

    private static RangeExhaustedException exhausted(String name) {
        return new RangeExhaustedException("Sequence " + name + " has no number left");
    }
}
