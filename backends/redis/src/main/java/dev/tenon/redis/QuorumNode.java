package dev.tenon.redis;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.zip.CRC32;

/** One of the independent nodes of a quorum. What it answers comes within its own timeout. Thread-safe. */
interface QuorumNode {
    /**
     * {@link LockStore#acquire}, under a token that the caller proposes: a grant gets it if it is greater than every
     * token that the node has seen, and else one of the node's own. A hold of this request under a smaller token is
     * raised to it. Never lowers a token; and whoever holds after this one gets a greater token than this one has in
     * the end.
     *
     * @param proposed the token, or 0
     */
    CompletionStage<Outcome> take(Acquire request, long proposed);

    /** Asks the node's store for anything else. */
    <T> CompletionStage<T> ask(Function<LockStore, CompletionStage<T>> question);

    /**
     * The nodes, or what each of them said, in the order of this name, which is the same in every process that knows
     * the same nodes.
     */
    static <T> List<T> order(List<T> nodes, String name) {
        CRC32 crc = new CRC32();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        List<T> order = new ArrayList<>(nodes);
        Collections.rotate(order, (int) (crc.getValue() % nodes.size()));
        return order;
    }
}
