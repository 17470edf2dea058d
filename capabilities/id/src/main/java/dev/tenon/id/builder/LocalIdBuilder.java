package dev.tenon.id.builder;

import dev.tenon.id.SequenceRegressedException;
import dev.tenon.id.spi.BuilderConfig;
import dev.tenon.id.spi.BuilderConfigStore;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * The ID-builder service in this process: for each code a segment of the table at hand, a fresh one after each start,
 * and the next one fetched in the background when 15 % are left. Both styles work on every code, each from segments of
 * its own; {@code is_seq} only says which one the code is meant for.
 *
 * <ul>
 *   <li><b>Unique</b> for each code, among all instances on one table and all styles: foreign instances that follow the
 *       service's own algorithm included. What is at hand when an instance ends is never issued. A text is as unique as
 *       its number, if all instances have machine indexes with the same number of digits.
 *   <li><b>Order:</b> {@link #unionSeqId} strictly increasing per instance and code, across threads, without gaps
 *       within a segment; {@link #unionId} none within a segment. Between instances, by segment.
 *   <li><b>Rate limit:</b> none of its own. When the table can't follow, callers are parked.
 *   <li><b>Store:</b> each code of the table has its first segment fetched at the start ({@link
 *       IdBuilderOptions#fetchAtStart}); a row that is newer, and the style that its row is not meant for, when it is
 *       first asked for. Then it is asked in the background, at most once at a time a code, by a few threads for all
 *       codes. While it is away, IDs go on as long as the segments at hand last: the last 15 % of one last at least 36
 *       s where the code is sized by {@link IdBuilder#stepForPeak} and one instance has all of the load, and n times
 *       that with n instances. After that a call waits up to {@link dev.tenon.id.SegmentPolicy#waitMax} and throws what
 *       the store threw. If a row goes back below what this instance had from it, nothing of that is issued, and calls
 *       that find nothing else throw {@link SequenceRegressedException}.
 *   <li><b>Clock:</b> no influence on the numbers.
 * </ul>
 *
 * <p>Calls throw {@link UnknownCodeException} where a code has no row (asked for again at each call, so that a new row
 * needs no restart), {@link MisconfiguredCodeException} where its row makes no sense, {@link
 * dev.tenon.id.RangeExhaustedException} where it is used up, {@link dev.tenon.BackendUnavailableException} and {@link
 * dev.tenon.OutcomeUnknownException} as above, and {@link IllegalStateException} once this is closed. Thread-safe,
 * without locks as long as there are numbers at hand.
 */
public final class LocalIdBuilder implements IdBuilder, AutoCloseable {
    private final BuilderConfigStore store;
    private final IdBuilderOptions options;
    private final String machineIndex;
    private final Map<Integer, CompletableFuture<BuilderCode>> codes = new ConcurrentHashMap<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile boolean closed;

    private LocalIdBuilder(BuilderConfigStore store, IdBuilderOptions options) {
        this.store = Objects.requireNonNull(store, "store");
        this.options = Objects.requireNonNull(options, "options");
        this.machineIndex = options.machineIndex().isPresent()
                ? Integer.toString(options.machineIndex().getAsInt())
                : "";
    }

    /**
     * An instance with the machine index of {@code -DidBuilder.index}, or none, as {@link #create(BuilderConfigStore,
     * IdBuilderOptions)} makes it.
     *
     * @throws IllegalArgumentException if that property is set to something else than a whole number, 0 or more
     */
    public static LocalIdBuilder create(BuilderConfigStore store) {
        return create(store, IdBuilderOptions.fromSystemProperties());
    }

    /**
     * An instance with options of one's own. Waits until the first segments are there, as long as a call would wait for
     * a number ({@link dev.tenon.id.SegmentPolicy#waitMax}). It never fails for a store that is away: that is asked on
     * in the background, and calls say so until it answers.
     */
    public static LocalIdBuilder create(BuilderConfigStore store, IdBuilderOptions options) {
        LocalIdBuilder made = new LocalIdBuilder(store, options);
        if (options.fetchAtStart()) {
            new FirstSegments(store, made::opened, made.ended)
                    .fetch(options.policy().waitMax());
        }
        return made;
    }

    @Override
    public long unionId(int code) {
        return of(code).nextShuffled();
    }

    @Override
    public long unionSeqId(int code) {
        return of(code).nextInOrder();
    }

    @Override
    public String unionIdStr(int code) {
        BuilderCode found = of(code);
        return text(found, found.nextShuffled());
    }

    @Override
    public String unionSeqIdStr(int code) {
        BuilderCode found = of(code);
        return text(found, found.nextInOrder());
    }

    /** Whether this instance has served the code before, so that a call needs no store as long as there are numbers. */
    public boolean knows(int code) {
        CompletableFuture<BuilderCode> found = codes.get(code);
        return found != null && found.isDone() && !found.isCompletedExceptionally();
    }

    /** How many numbers of the code are at hand. */
    public long left(int code) {
        return knows(code) ? of(code).left() : 0;
    }

    /**
     * The codes whose rows were seen to go back, and how: nothing of such a row is issued. They are looked at again in
     * the background, and a row that was set above everything seen is followed by itself.
     */
    public Map<Integer, SequenceRegressedException> regressions() {
        Map<Integer, SequenceRegressedException> all = new TreeMap<>();
        codes.keySet().stream()
                .filter(this::knows)
                .forEach(code -> of(code).regression().ifPresent(e -> all.put(code, e)));
        return all;
    }

    /** Ends this: what is at hand is wasted, and calls throw {@link IllegalStateException}. Idempotent. */
    @Override
    public void close() {
        closed = true;
        ended.countDown();
        codes.values()
                .forEach(code -> code.whenComplete((made, failure) -> {
                    if (failure == null) {
                        made.close();
                    }
                }));
    }

    private String text(BuilderCode code, long number) {
        return code.bizCode() + machineIndex + number;
    }

    /** The code. One thread asks the store for it, others wait for that; a failure is not kept. */
    private BuilderCode of(int code) {
        CompletableFuture<BuilderCode> found = codes.get(code);
        if (found == null) {
            CompletableFuture<BuilderCode> mine = new CompletableFuture<>();
            found = codes.putIfAbsent(code, mine);
            if (found == null) {
                found = mine;
                open(code, mine);
            }
        }
        try {
            return found.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    /** A code whose row is known; empty if this is closed. */
    private Optional<BuilderCode> opened(BuilderConfig config) {
        BuilderCode code = codes.computeIfAbsent(
                        config.code(),
                        c -> CompletableFuture.completedFuture(new BuilderCode(store, config, options.policy())))
                .getNow(null);
        if (closed && code != null) {
            code.close();
            return Optional.empty();
        }
        return Optional.ofNullable(code);
    }

    private void open(int code, CompletableFuture<BuilderCode> made) {
        try {
            if (closed) {
                throw new IllegalStateException("The ID builder is closed");
            }
            made.complete(new BuilderCode(store, store.config(code), options.policy()));
            if (closed) {
                made.join().close();
            }
        } catch (RuntimeException | Error e) {
            codes.remove(code, made);
            made.completeExceptionally(e);
        }
    }
}
