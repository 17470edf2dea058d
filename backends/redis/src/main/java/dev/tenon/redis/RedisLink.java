package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.TimeSource;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The way to one Redis or many: runs scripts, several callers' at a time, where their keys are, and ends each call
 * within the command timeout.
 *
 * <p>What was in flight when a connection broke fails at once with {@link OutcomeUnknownException}, what is asked while
 * there is none with {@link BackendUnavailableException}. A call that gets no answer takes its connection down with it:
 * an answer that comes after all must never be taken for that of a later call, and behind a dead peer the next
 * connection may fare better.
 */
final class RedisLink implements AutoCloseable {
    private static final int CALLS_A_FLUSH = 1000;
    private static final int KEYS_A_SCAN = 1000;
    private static final int HOPS_MAX = 5;
    private static final long LOOK_MILLIS = 100;

    private final RedisNode.Replies replies = new Replies();
    private final RedisOptions options;
    private final RedisTarget target;
    private final RedisDeadlines deadlines;
    private final ScheduledExecutorService timer;
    private final RedisDriver driver;
    private final RedisNodes nodes;
    private final RedisDriver.PushClient pushes;
    private volatile List<RedisScript> scripts = List.of();
    private volatile Runnable onMoved = () -> {};
    private volatile @Nullable StatefulConnection<?, ?> subscriber;

    /**
     * @param timer runs the deadlines; ends with this link
     */
    RedisLink(RedisOptions options, TimeSource time, ScheduledExecutorService timer) {
        this.options = options;
        this.timer = timer;
        this.target = RedisTarget.of(options);
        this.deadlines = new RedisDeadlines(time, options.commandTimeout(), options.address());
        this.driver = new RedisDriver(options.commandTimeout());
        this.nodes = target.isCluster()
                ? new RedisClusterNodes(target, driver, options, time, new Watcher())
                : new RedisOneNode(target, driver, options);
        this.pushes = driver.pushes(nodes::forPushes);
        try {
            nodes.start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
        long period = Math.max(1, options.commandTimeout().toMillis() / 10);
        timer.scheduleWithFixedDelay(deadlines::runOnce, period, period, TimeUnit.MILLISECONDS);
        timer.scheduleWithFixedDelay(nodes::runOnce, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Runs a script; one round trip, or two if Redis has forgotten it or its keys have moved. */
    CompletableFuture<List<Object>> run(RedisCall call) {
        RedisRun run = start(call, false);
        route(run);
        return run.answer().thenApply(RedisReply::values);
    }

    /** {@link #run}, and waits for the replicas, if the options say so; they may be fewer in the end. */
    CompletableFuture<RedisReply> runReplicated(RedisCall call) {
        RedisRun run = start(call, replicates());
        route(run);
        return run.answer();
    }

    /**
     * {@link #run}; fails with {@link OutcomeUnknownException} if fewer replicas than the options say have it in time.
     */
    CompletableFuture<List<Object>> runDurably(RedisCall call) {
        return runReplicated(call).thenApply(this::requireEnough);
    }

    /**
     * Runs scripts behind each other, {@value #CALLS_A_FLUSH} in one flush and one round trip to each node; the answers
     * are in the order of the calls. The timeout is that of each flush.
     *
     * @param durably as {@link #runDurably}
     */
    CompletableFuture<List<List<Object>>> runAll(List<RedisCall> calls, boolean durably) {
        if (calls.size() <= CALLS_A_FLUSH) {
            return flush(calls, durably);
        }
        return flush(calls.subList(0, CALLS_A_FLUSH), durably)
                .thenCompose(answers -> runAll(calls.subList(CALLS_A_FLUSH, calls.size()), durably)
                        .thenApply(more -> {
                            List<List<Object>> all = new ArrayList<>(answers);
                            all.addAll(more);
                            return all;
                        }));
    }

    /** Whether there are replicas to wait for. */
    boolean replicates() {
        return options.replicas() > 0;
    }

    boolean isEnough(RedisReply reply) {
        return reply.replicas() >= options.replicas();
    }

    /** What {@link #isEnough} is short of, for messages. */
    String shortage(RedisReply reply) {
        return "only " + reply.replicas() + " of " + options.replicas() + " replicas had it within "
                + options.replicaTimeout();
    }

    /** Has each Redis learn these scripts, so that the first use of each takes one round trip; later ones too. */
    void load(List<RedisScript> all) {
        scripts = List.copyOf(all);
        CompletableFuture<?>[] loaded = nodes.all().stream().map(this::load).toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(loaded).handle((done, failure) -> null).join();
        // In a cluster the others go on without one that is down.
        if (!target.isCluster() && loaded[0].isCompletedExceptionally()) {
            await(loaded[0]);
        }
    }

    /** Sends a command, that is no script, to where a key is. */
    <T> CompletableFuture<T> ask(
            String key, Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> command) {
        return nodes.of(key)
                .map(node -> ask(node, command, HOPS_MAX))
                .orElseGet(() -> CompletableFuture.failedFuture(nobody(key)));
    }

    /** Tells of every key that matches, of all nodes. */
    CompletableFuture<Void> scan(String pattern, Consumer<String> onKey) {
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (RedisNode node : nodes.all()) {
            all = all.thenCompose(done -> scan(node, pattern, ScanCursor.INITIAL, onKey));
        }
        return all;
    }

    /** A stage of the subscriber's that ends within the command timeout, with this backend's exceptions. */
    <T> CompletableFuture<T> bounded(CompletionStage<T> stage) {
        return bounded(stage, this::dropSubscriber);
    }

    /** A connection of its own for subscriptions. */
    CompletableFuture<StatefulRedisPubSubConnection<String, String>> subscriber() {
        return bounded(pushes.connectPushes()).thenApply(open -> {
            subscriber = open;
            return open;
        });
    }

    boolean isCluster() {
        return target.isCluster();
    }

    /**
     * Whether another server may take the place of the one that pushes come from while its connection still seems open.
     */
    boolean mayBeReplaced() {
        return target.kind() != RedisTarget.Kind.ONE;
    }

    /**
     * @param moved run when keys have moved to another node, or one has come back: what was pushed meanwhile may be
     * lost
     */
    void onMoved(Runnable moved) {
        onMoved = moved;
    }

    /** CompositeWaits for an answer, which comes within the command timeout; throws what it failed with. */
    static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof TenonException failure) {
                throw failure;
            }
            throw e;
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
        nodes.close();
        pushes.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        driver.close();
        deadlines.close();
    }

    private RedisRun start(RedisCall call, boolean replicated) {
        return new RedisRun(call, replicated, run -> deadlines.start(() -> giveUp(run)));
    }

    private void route(RedisRun run) {
        String key = run.call().keys().get(0);
        nodes.of(key)
                .ifPresentOrElse(
                        node -> node.send(List.of(run), replies),
                        () -> run.answer().completeExceptionally(nobody(key)));
    }

    private CompletableFuture<List<List<Object>>> flush(List<RedisCall> calls, boolean durably) {
        List<RedisRun> runs = new ArrayList<>(calls.size());
        Map<RedisNode, List<RedisRun>> byNode = new IdentityHashMap<>();
        for (RedisCall call : calls) {
            RedisRun run = start(call, durably && replicates());
            runs.add(run);
            String key = call.keys().get(0);
            nodes.of(key)
                    .ifPresentOrElse(
                            node -> byNode.computeIfAbsent(node, n -> new ArrayList<>())
                                    .add(run),
                            () -> run.answer().completeExceptionally(nobody(key)));
        }
        byNode.forEach((node, itsRuns) -> node.send(itsRuns, replies));
        List<CompletableFuture<List<Object>>> answers = runs.stream()
                .map(run -> run.answer().thenApply(durably ? this::requireEnough : RedisReply::values))
                .toList();
        return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> answers.stream().map(CompletableFuture::join).toList());
    }

    private List<Object> requireEnough(RedisReply reply) {
        if (!isEnough(reply)) {
            throw new OutcomeUnknownException(
                    "Redis at " + options.address() + " has done it, but a fail-over may lose it: " + shortage(reply));
        }
        return reply.values();
    }

    private <T> CompletableFuture<T> ask(
            RedisNode node,
            Function<RedisAsyncCommands<String, String>, ? extends CompletionStage<T>> command,
            int hopsLeft) {
        CompletableFuture<T> answer = deadlines.start(() -> giveUp(node));
        node.connection().thenCompose(open -> command.apply(open.async())).whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
                return;
            }
            Optional<RedisNode> next = hopsLeft > 0 ? redirection(failure) : Optional.empty();
            if (next.isPresent()) {
                ask(next.get(), command, hopsLeft - 1).whenComplete((v, f) -> {
                    if (f == null) {
                        answer.complete(v);
                    } else {
                        answer.completeExceptionally(f);
                    }
                });
            } else {
                nodes.suspect(node, RedisErrors.unwrap(failure));
                answer.completeExceptionally(RedisErrors.translate(failure, options.address()));
            }
        });
        return answer;
    }

    private Optional<RedisNode> redirection(Throwable failure) {
        Throwable cause = RedisErrors.unwrap(failure);
        return cause instanceof RedisCommandExecutionException
                ? nodes.redirected(String.valueOf(cause.getMessage()))
                : Optional.empty();
    }

    /** Without holding Redis up. */
    private CompletableFuture<Void> scan(RedisNode node, String pattern, ScanCursor cursor, Consumer<String> onKey) {
        ScanArgs args = ScanArgs.Builder.matches(pattern).limit(KEYS_A_SCAN);
        CompletableFuture<KeyScanCursor<String>> step = ask(node, commands -> commands.scan(cursor, args), 0);
        return step.thenCompose(found -> {
            found.getKeys().forEach(onKey);
            return found.isFinished()
                    ? CompletableFuture.<Void>completedFuture(null)
                    : scan(node, pattern, found, onKey);
        });
    }

    private CompletableFuture<?> load(RedisNode node) {
        return CompletableFuture.allOf(scripts.stream()
                .map(script -> ask(node, commands -> commands.scriptLoad(script.source()), 0))
                .toArray(CompletableFuture<?>[]::new));
    }

    private <T> CompletableFuture<T> bounded(CompletionStage<T> stage, Runnable onTimeout) {
        CompletableFuture<T> answer = deadlines.start(onTimeout);
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(RedisErrors.translate(failure, options.address()));
            }
        });
        return answer;
    }

    private void giveUp(RedisRun run) {
        RedisNode node = run.node();
        if (node != null) {
            giveUp(node);
        }
    }

    private void giveUp(RedisNode node) {
        node.drop();
        if (!target.isCluster()) { // there, pushes come from any node, and that one may be well
            dropSubscriber();
        }
    }

    private void dropSubscriber() {
        StatefulConnection<?, ?> open = subscriber;
        if (open != null) {
            RedisDriver.drop(open);
        }
    }

    private BackendUnavailableException nobody(String key) {
        return new BackendUnavailableException(
                "Redis at " + options.address() + ": no node of the cluster has the slot of " + key);
    }

    private final class Replies implements RedisNode.Replies {
        @Override
        public void answered(RedisRun run, RedisReply reply) {
            run.answer().complete(reply);
        }

        @Override
        public void failed(RedisRun run, RedisNode node, Throwable failure) {
            if (run.answer().isDone()) {
                return; // given up: it must not be sent again
            }
            Throwable cause = RedisErrors.unwrap(failure);
            Optional<RedisNode> next = redirection(cause);
            if (cause instanceof RedisNoScriptException && !run.whole()) {
                // After a restart or SCRIPT FLUSH: EVAL runs the script, and has Redis remember it again.
                run.makeWhole();
                node.send(List.of(run), this);
            } else if (next.isPresent()
                    && run.hop(String.valueOf(cause.getMessage()).startsWith("ASK"))) {
                next.get().send(List.of(run), this);
            } else {
                nodes.suspect(node, cause);
                run.answer().completeExceptionally(RedisErrors.translate(cause, options.address()));
            }
        }
    }

    private final class Watcher implements RedisNodes.Watcher {
        @Override
        public void opened(RedisNode node) {
            load(node);
            onMoved.run();
        }

        @Override
        public void moved() {
            onMoved.run();
        }
    }
}
