package dev.tenon.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One run of a script on its way to its answer, which may lead over several nodes. */
final class RedisRun {
    private static final int HOPS_MAX = 5;

    private final RedisCall call;
    private final boolean replicated;
    private final CompletableFuture<RedisReply> answer;
    private volatile @Nullable RedisNode node;
    private volatile boolean whole;
    private volatile boolean asking;
    private volatile int hops;

    /**
     * @param replicated whether to wait for the replicas too
     * @param answer makes the future of the answer, of which it is told whom to blame if none comes
     */
    RedisRun(RedisCall call, boolean replicated, Function<RedisRun, CompletableFuture<RedisReply>> answer) {
        this.call = call;
        this.replicated = replicated;
        this.answer = answer.apply(this);
    }

    RedisCall call() {
        return call;
    }

    boolean replicated() {
        return replicated;
    }

    CompletableFuture<RedisReply> answer() {
        return answer;
    }

    /** Whom it was sent to last. */
    @Nullable
    RedisNode node() {
        return node;
    }

    void sentTo(RedisNode to) {
        node = to;
    }

    /** Whether it is to be sent with the script's whole text, as the node knows no digest of it. */
    boolean whole() {
        return whole;
    }

    void makeWhole() {
        whole = true;
    }

    /** Whether the node is to be told that it was asked for though the slot is not its own yet. */
    boolean asking() {
        return asking;
    }

    /** One more redirection; false if there were too many already. */
    boolean hop(boolean ask) {
        asking = ask;
        return hops++ < HOPS_MAX; // a run is in one place at a time
    }

    AsyncCommand<String, String, List<Object>> command() {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8)
                .add(whole ? call.script().source() : call.script().digest())
                .add(call.keys().size())
                .addKeys(call.keys())
                .addValues(call.arguments());
        return new AsyncCommand<>(new Command<>(
                whole ? CommandType.EVAL : CommandType.EVALSHA, new NestedMultiOutput<>(StringCodec.UTF8), args));
    }
}
