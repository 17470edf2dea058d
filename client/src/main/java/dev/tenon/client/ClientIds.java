package dev.tenon.client;

import dev.tenon.protocol.DecodeIdRequest;
import dev.tenon.protocol.DescribeIdsRequest;
import dev.tenon.protocol.NextIdsRequest;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * IDs of one name, made by the server as their definition says. Each call is one round trip; {@link #local} has them at
 * hand.
 *
 * <p>Calls fail with {@link dev.tenon.BackendUnavailableException} when no ID was taken, with {@link
 * dev.tenon.OutcomeUnknownException} when the reply was lost: the IDs in it are lost too, and asking again is safe;
 * with {@link IllegalArgumentException} when the name is not defined; and as the generator behind the name does.
 * Thread-safe.
 */
public final class ClientIds {
    /** The most IDs in one call. */
    public static final int COUNT_MAX = 10_000;

    private final ClientLink link;
    private final String name;

    ClientIds(ClientLink link, String name) {
        this.link = link;
        this.name = name;
    }

    /** The name. */
    public String name() {
        return name;
    }

    /** One ID. Blocks. */
    public String next() {
        return next(1).get(0);
    }

    /**
     * Several IDs, in the order of issue. Blocks.
     *
     * @param count 1 to {@value #COUNT_MAX}
     * @return as many; fewer where the definition has a max and it is reached
     */
    public List<String> next(int count) {
        return ClientLink.await(nextAsync(count).toCompletableFuture());
    }

    /**
     * As {@link #next(int)}, without blocking; completes on the thread of the connection, which must not be blocked.
     */
    public CompletionStage<List<String>> nextAsync(int count) {
        if (count < 1 || count > COUNT_MAX) {
            throw new IllegalArgumentException("Count must be between 1 and " + COUNT_MAX + ": " + count);
        }
        NextIdsRequest request =
                NextIdsRequest.newBuilder().setName(name).setCount(count).build();
        return link.call(ClientMethods.NEXT_IDS, request).thenApply(answer -> List.copyOf(answer.getIdsList()));
    }

    /**
     * One ID that carries the shard of a key, of a name whose kind has shards. Blocks.
     *
     * @param shardKey 1 to 200 characters
     */
    public String nextFor(String shardKey) {
        NextIdsRequest request = NextIdsRequest.newBuilder()
                .setName(name)
                .setCount(1)
                .setShardKey(shardKey)
                .build();
        return link.await(ClientMethods.NEXT_IDS, request).getIds(0);
    }

    /**
     * A supply of IDs in this process, which is filled up before it is empty: an ID from it costs nanoseconds. They
     * come in the order in which the server has issued them; those of other processes come in between, and those that
     * are at hand when the process ends never come. Not for IDs that are to tell when they were used.
     *
     * @param size how many are asked for at once, 1 to {@value #COUNT_MAX}; up to twice as many are at hand
     */
    public LocalIds local(int size) {
        return new LocalIds(this, size);
    }

    /** What an ID of this name says about itself, as a JSON object. Blocks. */
    public String decode(String id) {
        DecodeIdRequest request =
                DecodeIdRequest.newBuilder().setName(name).setId(id).build();
        return link.await(ClientMethods.DECODE_ID, request).getJson();
    }

    /** The definition with its counters, as a JSON object. Blocks. */
    public String describe() {
        DescribeIdsRequest request =
                DescribeIdsRequest.newBuilder().setName(name).build();
        return link.await(ClientMethods.DESCRIBE_IDS, request).getJson();
    }
}
