package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * ID definitions as one hash of Redis that never expires. One round trip a call; {@link #all} takes one for each
 * {@value #PAGE} names or so, and holds Redis up for none longer. Thread-safe; calls block.
 */
final class RedisDefinitionStore implements DefinitionStore {
    private static final String NAME = "definition name";
    private static final int PAGE = 500;

    private final RedisScript find = RedisScript.of("definition-find");
    private final RedisScript put = RedisScript.of("definition-put");
    private final RedisScript change = RedisScript.of("definition-change");
    private final RedisLink link;
    private final String key;

    RedisDefinitionStore(RedisLink link, String keyPrefix) {
        this.link = link;
        this.key = keyPrefix + ":definitions";
    }

    List<RedisScript> scripts() {
        return List.of(find, put, change);
    }

    @Override
    public Optional<String> find(String name) {
        return run(find, Names.requireValid(NAME, name)).stream().findFirst().map(String.class::cast);
    }

    @Override
    public String putIfAbsent(String name, String text) {
        return (String) run(put, Names.requireValid(NAME, name), DefinitionStore.requireText(text))
                .get(0);
    }

    @Override
    public boolean replace(String name, String before, String text) {
        return changed(run(change, Names.requireValid(NAME, name), before, DefinitionStore.requireText(text)));
    }

    @Override
    public boolean remove(String name, String text) {
        return changed(run(change, Names.requireValid(NAME, name), text));
    }

    private static boolean changed(List<Object> answer) {
        return answer.get(0).equals(1L);
    }

    @Override
    public Map<String, String> all() {
        // A scan tells everything that is there from its start to its end.
        Map<String, String> all = new TreeMap<>();
        ScanCursor cursor = ScanCursor.INITIAL;
        while (!cursor.isFinished()) {
            ScanCursor from = cursor;
            MapScanCursor<String, String> page =
                    RedisLink.await(link.ask(key, commands -> commands.hscan(key, from, ScanArgs.Builder.limit(PAGE))));
            all.putAll(page.getMap());
            cursor = page;
        }
        return all;
    }

    private List<Object> run(RedisScript script, String... arguments) {
        return RedisLink.await(link.runDurably(new RedisCall(script, List.of(key), List.of(arguments))));
    }
}
