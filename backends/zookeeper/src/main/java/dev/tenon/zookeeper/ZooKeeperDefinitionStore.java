package dev.tenon.zookeeper;

import dev.tenon.id.spi.DefinitionStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;

/**
 * ID definitions as nodes, one a name, whose content is the text. One round trip a call, one
 * more where the name has a definition already, one more to change it, and the first of a bucket makes the bucket.
 * {@link #all} takes one for each {@value #PAGE} names. Thread-safe; calls block.
 */
final class ZooKeeperDefinitionStore implements DefinitionStore {
    /** Texts that are asked for at a time. */
    private static final int PAGE = 200;

    private static final byte[] NOTHING = {};

    private final ZooKeeperLink link;

    ZooKeeperDefinitionStore(ZooKeeperLink link) {
        this.link = link;
    }

    @Override
    public Optional<String> find(String name) {
        String path = link.paths().definition(name);
        ZooKeeperCall call = link.beginOneOfMany();
        return call.awaitRead(call.readLatest(path)).map(ZooKeeperDefinitionStore::text);
    }

    @Override
    public String putIfAbsent(String name, String text) {
        String path = link.paths().definition(name);
        byte[] data = DefinitionStore.requireText(text).getBytes(StandardCharsets.UTF_8);
        ZooKeeperCall call = link.beginOneOfMany();
        if (created(call, path, data)) {
            return text;
        }
        return call.awaitRead(call.readLatest(path))
                .map(ZooKeeperDefinitionStore::text)
                .orElseThrow(() -> ZooKeeperErrors.dataLost(path, new IllegalStateException("it was there")));
    }

    /** False: there is one already. */
    private boolean created(ZooKeeperCall call, String path, byte[] data) {
        try {
            return create(call, path, data);
        } catch (ZooKeeperConflict noParent) {
            String bucket = path.substring(0, path.lastIndexOf('/'));
            create(call, link.paths().definitions(), NOTHING);
            create(call, bucket, NOTHING);
            return create(call, path, data);
        }
    }

    private static boolean create(ZooKeeperCall call, String path, byte[] data) {
        try {
            call.awaitWrite(call.create(path, data));
            return true;
        } catch (ZooKeeperConflict e) {
            if (e.code() == Code.NODEEXISTS) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public boolean replace(String name, String before, String text) {
        String path = link.paths().definition(name);
        byte[] data = DefinitionStore.requireText(text).getBytes(StandardCharsets.UTF_8);
        return ifStill(path, before, version -> Op.setData(path, data, version));
    }

    @Override
    public boolean remove(String name, String text) {
        String path = link.paths().definition(name);
        return ifStill(path, text, version -> Op.delete(path, version));
    }

    /** Changes a node of that text, whose version the change must name. */
    private boolean ifStill(String path, String text, IntFunction<Op> change) {
        while (true) {
            ZooKeeperCall call = link.beginOneOfMany();
            Optional<ZooKeeperCall.Node> node = call.awaitRead(call.readLatest(path));
            if (node.isEmpty() || !text(node.get()).equals(text)) {
                return false;
            }
            Op op = change.apply(node.get().stat().getVersion());
            if (call.awaitWrite(call.attempt(List.of(op))).done()) {
                return true;
            }
        }
    }

    @Override
    public Map<String, String> all() {
        // Piece by piece: what was there from the first piece to the last is in one of them.
        ZooKeeperCall call = link.beginOneOfMany();
        String top = link.paths().definitions();
        call.sync(top);
        List<String> buckets = call.awaitRead(call.children(top));
        List<CompletableFuture<List<String>>> listings = new ArrayList<>();
        buckets.forEach(bucket -> listings.add(call.children(top + "/" + bucket)));
        List<List<String>> components = call.awaitReads(listings);
        List<String> paths = new ArrayList<>();
        for (int i = 0; i < buckets.size(); i++) {
            String bucket = top + "/" + buckets.get(i) + "/";
            components.get(i).forEach(component -> paths.add(bucket + component));
        }
        Map<String, String> all = new TreeMap<>();
        for (int from = 0; from < paths.size(); from += PAGE) {
            readInto(all, paths.subList(from, Math.min(paths.size(), from + PAGE)));
        }
        return all;
    }

    private void readInto(Map<String, String> all, List<String> paths) {
        ZooKeeperCall call = link.beginOneOfMany();
        List<Optional<ZooKeeperCall.Node>> nodes =
                call.awaitReads(paths.stream().map(call::read).toList());
        for (int i = 0; i < paths.size(); i++) {
            String name = ZooKeeperPaths.name(ZooKeeperPaths.last(paths.get(i)));
            nodes.get(i).ifPresent(node -> all.put(name, text(node)));
        }
    }

    private static String text(ZooKeeperCall.Node node) {
        return new String(node.data(), StandardCharsets.UTF_8);
    }
}
