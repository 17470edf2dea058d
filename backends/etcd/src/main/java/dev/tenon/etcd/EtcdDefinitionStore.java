package dev.tenon.etcd;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * ID definitions as keys, one a name, whose value is the text. One round trip a call; {@link
 * #all} takes one for each {@value #PAGE} names. Thread-safe; calls block.
 */
final class EtcdDefinitionStore implements DefinitionStore {
    private static final String NAME = "definition name";
    /** The longest texts of a page, three bytes a character, stay below the 4 MB that gRPC takes at a time. */
    private static final int PAGE = 100;

    private final EtcdLink link;
    private final String keys;
    private final String end;

    EtcdDefinitionStore(EtcdLink link, String keyPrefix) {
        this.link = link;
        this.keys = keyPrefix + "/definition/";
        this.end = keyPrefix + "/definition" + (char) ('/' + 1);
    }

    @Override
    public Optional<String> find(String name) {
        String key = keys + Names.requireValid(NAME, name);
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.get(key)), link.deadline());
        return EtcdOps.foundOne(answer, 0).map(EtcdOps::text);
    }

    @Override
    public String putIfAbsent(String name, String text) {
        String key = keys + Names.requireValid(NAME, name);
        TxnRequest put = TxnRequest.newBuilder()
                .addCompare(EtcdOps.created(key, 0))
                .addSuccess(EtcdOps.put(key, DefinitionStore.requireText(text)))
                .addFailure(EtcdOps.get(key))
                .build();
        TxnResponse answer = link.call(EtcdOps.WRITE, put, link.deadline());
        return answer.getSucceeded()
                ? text
                : EtcdOps.foundOne(answer, 0).map(EtcdOps::text).orElseThrow();
    }

    @Override
    public boolean replace(String name, String before, String text) {
        String key = keys + Names.requireValid(NAME, name);
        return ifStill(key, before, EtcdOps.put(key, DefinitionStore.requireText(text)));
    }

    @Override
    public boolean remove(String name, String text) {
        String key = keys + Names.requireValid(NAME, name);
        return ifStill(key, text, EtcdOps.delete(key));
    }

    private boolean ifStill(String key, String text, RequestOp change) {
        TxnRequest request = TxnRequest.newBuilder()
                .addCompare(EtcdOps.value(key, Compare.CompareResult.EQUAL, text))
                .addSuccess(change)
                .build();
        return link.call(EtcdOps.WRITE, request, link.deadline()).getSucceeded();
    }

    @Override
    public Map<String, String> all() {
        // Page by page: what was there from the first page to the last is in one of them.
        Map<String, String> all = new TreeMap<>();
        String from = keys;
        while (true) {
            TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.list(from, end, PAGE)), link.deadline());
            List<KeyValue> page = EtcdOps.found(answer, 0);
            for (KeyValue pair : page) {
                String key = pair.getKey().toStringUtf8();
                all.put(key.substring(keys.length()), EtcdOps.text(pair));
                from = key + "\0";
            }
            if (page.size() < PAGE) {
                return all;
            }
        }
    }
}
