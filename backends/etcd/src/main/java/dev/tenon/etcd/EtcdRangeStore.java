package dev.tenon.etcd;

import com.google.common.util.concurrent.Uninterruptibles;
import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.id.machine.RangeTable;
import dev.tenon.id.spi.IdRange;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sequences as keys of etcd, one a name. A change is one transaction: if the sequence is still as this process saw it
 * last, write its next state, else tell what it is now. It compares the whole state and no revision: after the restore
 * of a backup a revision may come again, with another state.
 *
 * <p>Of this process, one call for a name is on its way at a time, and takes all with it that came up meanwhile: they
 * would only undo each other's guess.
 */
final class EtcdRangeStore implements RangeStore {
    /** Beyond it all guesses are dropped: each name then costs one round trip more, once. */
    private static final int NAMES_MAX = 10_000;

    private final Map<String, Line> lines = new ConcurrentHashMap<>();
    private final EtcdLink link;
    private final String keyPrefix;

    EtcdRangeStore(EtcdLink link, String keyPrefix) {
        this.link = link;
        this.keyPrefix = keyPrefix + "/range/";
    }

    @Override
    public IdRange next(String name, long count) {
        IdRange.requireCount(count);
        return change(name, table -> table.next(name, count));
    }

    @Override
    public void define(String name, RangeDefinition definition) {
        Objects.requireNonNull(definition, "definition");
        change(name, table -> {
            table.define(name, definition);
            return true;
        });
    }

    @Override
    public Optional<RangeDefinition> definition(String name) {
        Names.requireValid("sequence name", name);
        return Optional.ofNullable(read(name, link.deadline())).map(RangeTable.Entry::definition);
    }

    @Override
    public long raiseTo(String name, long floor) {
        return change(name, table -> table.raiseTo(name, floor));
    }

    /** The state of a sequence as this process saw it last, and the calls that want to change it. */
    private static final class Line {
        private final Queue<Want<?>> waiting = new ConcurrentLinkedQueue<>();
        private final ReentrantLock turn = new ReentrantLock(true);
        private RangeTable.@Nullable Entry seen;

        List<Want<?>> take() {
            List<Want<?>> batch = new ArrayList<>();
            for (Want<?> want = waiting.poll(); want != null; want = waiting.poll()) {
                if (want.taken.compareAndSet(false, true)) {
                    batch.add(want);
                }
            }
            return batch;
        }
    }

    private static final class Want<T> {
        private final CompletableFuture<T> answer = new CompletableFuture<>();
        private final AtomicBoolean taken = new AtomicBoolean();
        private final Function<RangeTable, T> change;

        Want(Function<RangeTable, T> change) {
            this.change = change;
        }

        /** Changes the table; running what it returns tells the caller. */
        Runnable tryOn(RangeTable table) {
            try {
                T value = change.apply(table);
                return () -> answer.complete(value);
            } catch (TenonException e) {
                return () -> answer.completeExceptionally(e);
            }
        }
    }

    private <T> T change(String name, Function<RangeTable, T> change) {
        Names.requireValid("sequence name", name);
        if (lines.size() >= NAMES_MAX) {
            lines.clear();
        }
        Line line = lines.computeIfAbsent(name, n -> new Line());
        Deadline deadline = link.deadline();
        Want<T> want = new Want<>(change);
        line.waiting.add(want);
        if (!Uninterruptibles.tryLockUninterruptibly(
                line.turn, deadline.timeRemaining(TimeUnit.NANOSECONDS), TimeUnit.NANOSECONDS)) {
            if (want.taken.compareAndSet(false, true)) {
                throw new BackendUnavailableException("etcd: the calls before it for the same sequence took too long");
            }
            throw new OutcomeUnknownException("etcd: no answer yet to the call that this one was sent with");
        }
        try {
            if (!want.answer.isDone()) {
                serve(name, line, deadline);
            }
        } finally {
            line.turn.unlock();
        }
        return EtcdRangeStore.<T>answer(want);
    }

    private static <T> T answer(Want<T> want) {
        try {
            return want.answer.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof TenonException failure ? failure : e;
        }
    }

    /** Answers everybody who waits, in one transaction. */
    private void serve(String name, Line line, Deadline deadline) {
        List<Want<?>> batch = line.take();
        try {
            change(name, line, batch, deadline).forEach(Runnable::run);
        } catch (RuntimeException | Error e) {
            // Whatever it was: the others of the batch wait for it.
            batch.forEach(want -> want.answer.completeExceptionally(e));
        }
    }

    private List<Runnable> change(String name, Line line, List<Want<?>> batch, Deadline deadline) {
        boolean fresh = false;
        for (int lost = 0; ; lost++) {
            RangeTable table = RangeTable.of(line.seen == null ? List.of() : List.of(line.seen));
            List<Runnable> answers =
                    batch.stream().map(want -> want.tryOn(table)).toList();
            RangeTable.Entry next = table.export().get(0);
            if (next.equals(line.seen)) {
                if (fresh) {
                    return answers;
                }
                // "Nothing to do", or a refusal, is only as good as what it is founded on.
                line.seen = read(name, deadline);
                fresh = true;
                continue;
            }
            TxnResponse answer = link.call(EtcdOps.WRITE, transaction(name, line.seen, next), deadline);
            if (answer.getSucceeded()) {
                line.seen = next;
                return answers;
            }
            line.seen =
                    EtcdOps.foundOne(answer, 0).map(pair -> entry(name, pair)).orElse(null);
            fresh = true;
            link.pause(lost, deadline);
        }
    }

    private TxnRequest transaction(String name, RangeTable.@Nullable Entry seen, RangeTable.Entry next) {
        String key = keyPrefix + name;
        return TxnRequest.newBuilder()
                .addCompare(EtcdOps.unchanged(key, Optional.ofNullable(seen).map(EtcdRangeStore::text)))
                .addSuccess(EtcdOps.put(key, text(next)))
                .addFailure(EtcdOps.get(key))
                .build();
    }

    private RangeTable.@Nullable Entry read(String name, Deadline deadline) {
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.get(keyPrefix + name)), deadline);
        return EtcdOps.foundOne(answer, 0).map(pair -> entry(name, pair)).orElse(null);
    }

    private static String text(RangeTable.Entry entry) {
        RangeDefinition definition = entry.definition();
        return definition.start() + " " + definition.step() + " " + definition.max() + " " + entry.last();
    }

    private static RangeTable.Entry entry(String name, KeyValue pair) {
        String[] numbers = EtcdOps.text(pair).split(" ", -1);
        try {
            RangeDefinition definition = new RangeDefinition(
                    Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
            return new RangeTable.Entry(name, definition, Long.parseLong(numbers[3]));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new TenonException("etcd: the value of " + pair.getKey().toStringUtf8() + " is no sequence", e);
        }
    }
}
