package dev.tenon.tx.message;

import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.spi.OutboxEntry;
import dev.tenon.tx.spi.OutboxStore;
import dev.tenon.tx.spi.Settlement;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Brings the messages of an outbox to its sink: claims what is due, sends the messages of one key one after the other
 * and those of different keys side by side, and writes what became of them in batches. One message that is slow holds
 * up only its key. Thread-safe.
 */
final class Relay implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Outbox.class.getName());
    private static final Duration NOT_YET = Duration.ofSeconds(1);
    private static final Duration PURGE_EVERY = Duration.ofMinutes(1);
    private static final int PURGE_BATCH = 1000;

    /**
     * For how long a run of a key sends; what it has not begun then is given back, so that a slow key keeps no room.
     */
    private static final Duration RUN_MAX = Duration.ofSeconds(1);

    /** How long what became of a message waits for that of the next one of its run, to be written with it. */
    private static final Duration TOGETHER = Duration.ofMillis(20);

    /** The pause between a poll that found several messages and the next: it takes what is written meanwhile. */
    private static final Duration BUSY_PAUSE = Duration.ofMillis(5);

    private final OutboxStore store;
    private final MessageSink sink;
    private final OutboxOptions options;
    private final ExecutorService senders;
    private final ScheduledThreadPoolExecutor writer;
    private final LinkedBlockingQueue<Result> results = new LinkedBlockingQueue<>();
    private final Set<CompletableFuture<Boolean>> awaited = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean toBeWritten = new AtomicBoolean();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean wantsRoom = new AtomicBoolean();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition hinted = lock.newCondition();
    private final ThreadFactory threads = DaemonThreads.numbered("tenon-outbox");
    private final FailureLog failures;
    private boolean hint;
    private boolean started;
    private boolean closed;
    private long purgedNanos;

    Relay(OutboxStore store, MessageSink sink, OutboxOptions options) {
        this.store = store;
        this.sink = sink;
        this.options = options;
        this.failures = new FailureLog(options.name());
        this.senders = RelayThreads.pool(options.threads(), "tenon-outbox-send");
        this.writer = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered("tenon-outbox-write"));
        writer.setKeepAliveTime(RelayThreads.IDLE_SECONDS, TimeUnit.SECONDS);
        writer.allowCoreThreadTimeOut(true);
        this.purgedNanos = options.time().nanoTime();
    }

    /** A settlement to be written, and the future of that. */
    private record Result(Settlement settlement, CompletableFuture<Boolean> written) {}

    /** What one poll has started. */
    private record Pass(int found, boolean more, List<CompletableFuture<Boolean>> written) {}

    void start() {
        lock.lock();
        try {
            if (!started && !closed) {
                started = true;
                threads.newThread(this::loop).start();
            }
        } finally {
            lock.unlock();
        }
    }

    void hint() {
        lock.lock();
        try {
            hint = true;
            hinted.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Writes and commits a message, and sends it without reading the table if no other message can come before it. */
    void commit(Connection connection, Message message) {
        long sinceNanos = options.time().nanoTime();
        boolean sends = message.key().isEmpty() && isRunning() && takesRoom();
        OptionalLong number = OptionalLong.empty();
        try {
            Duration lease = sends ? options.claim() : Duration.ZERO;
            number = store.commit(connection, options.name(), message, lease);
        } finally {
            if (sends && number.isEmpty()) {
                giveRoom();
            }
        }
        if (number.isPresent()) {
            OutboxEntry entry =
                    new OutboxEntry(number.getAsLong(), 1, 1, options.time().now(), message, List.of());
            submit(List.of(entry), sinceNanos);
        } else {
            hint();
        }
    }

    private boolean isRunning() {
        lock.lock();
        try {
            return started && !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Room for one message, but none of what is kept for those that are found in the table. */
    private boolean takesRoom() {
        if (underWay.incrementAndGet() <= options.batch() - roomMin()) {
            return true;
        }
        giveRoom();
        return false;
    }

    int runOnce() {
        Pass pass = pass();
        pass.written().forEach(CompletableFuture::join);
        return pass.found();
    }

    private void loop() {
        try {
            boolean busy = false;
            while (awaitHint(busy)) {
                busy = false;
                try {
                    Pass last = pass();
                    while (last.more()) {
                        last = pass();
                    }
                    busy = last.found() > 1;
                    purgeNowAndThen();
                } catch (TenonException e) {
                    // The database is away: the next poll finds what this one could not.
                } catch (RuntimeException | Error e) {
                    // This thread is the only one that polls: if it ended, messages would wait until a restart.
                    LOG.log(Level.WARNING, "A poll for messages has failed; the next one follows", e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns after a hint, or after a while; false when there is to be no more. */
    private boolean awaitHint(boolean busy) throws InterruptedException {
        long left = options.pollEvery().toNanos();
        long pause = busy ? Math.min(left, BUSY_PAUSE.toNanos()) : 0;
        lock.lockInterruptibly();
        try {
            while (!closed && pause > 0) {
                pause = hinted.awaitNanos(pause);
            }
            while (!hint && !closed && left > 0) {
                left = hinted.awaitNanos(left);
            }
            hint = false;
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void purgeNowAndThen() {
        if (options.time().nanoTime() - purgedNanos < PURGE_EVERY.toNanos()) {
            return;
        }
        if (store.purge(options.name(), options.retention(), PURGE_BATCH) == PURGE_BATCH) {
            hint(); // there is more: after another poll
        } else {
            purgedNanos = options.time().nanoTime();
        }
    }

    private Pass pass() {
        int room = options.batch() - underWay.get();
        if (room < roomMin()) {
            wantsRoom.set(true);
            hintOfRoom(); // of that which was made before it was wanted
            return new Pass(0, false, List.of());
        }
        long sinceNanos = options.time().nanoTime();
        OutboxStore.Claimed claimed = store.claim(options.name(), options.claim(), room);
        underWay.addAndGet(claimed.entries().size());
        List<CompletableFuture<Boolean>> written = new ArrayList<>();
        for (List<OutboxEntry> run : runs(claimed.entries())) {
            written.addAll(submit(run, sinceNanos));
        }
        return new Pass(claimed.entries().size(), claimed.more(), written);
    }

    /** Sends them one after the other, in a thread of its own. Answers what is done when each of them is settled. */
    private List<CompletableFuture<Boolean>> submit(List<OutboxEntry> run, long sinceNanos) {
        List<Result> open = run.stream()
                .map(entry -> new Result(new Settlement.Untried(entry), new CompletableFuture<>()))
                .toList();
        List<CompletableFuture<Boolean>> written =
                open.stream().map(Result::written).toList();
        awaited.addAll(written);
        try {
            senders.execute(() -> send(open, sinceNanos));
        } catch (RejectedExecutionException e) {
            forget(open); // closed: the claim ends by itself
        } catch (OutOfMemoryError e) {
            forget(open); // no thread for them now, but maybe when the claim has ended
            LOG.log(Level.WARNING, "Messages are left until their claim expires", e);
        }
        return written;
    }

    private void giveRoom() {
        underWay.decrementAndGet();
        hintOfRoom();
    }

    /** Repeats the poll that found no room. */
    private void hintOfRoom() {
        if (wantsRoom.get() && options.batch() - underWay.get() >= roomMin() && wantsRoom.getAndSet(false)) {
            hint();
        }
    }

    /** Claims of a few at a time would read the same rows again and again. */
    private int roomMin() {
        return Math.max(1, options.batch() / 4);
    }

    /** Those of one target and one key together, in their order; each other message alone. */
    private static Collection<List<OutboxEntry>> runs(List<OutboxEntry> entries) {
        Map<Object, List<OutboxEntry>> runs = new LinkedHashMap<>();
        for (OutboxEntry entry : entries) {
            Message message = entry.message();
            Object lane = message.key().isEmpty()
                    ? entry.number()
                    : List.of(message.target(), message.key().get());
            runs.computeIfAbsent(lane, key -> new ArrayList<>()).add(entry);
        }
        return runs.values();
    }

    private void send(List<Result> run, long claimedNanos) {
        boolean goOn = true;
        long begunNanos = options.time().nanoTime();
        for (int i = 0; i < run.size(); i++) {
            Result result = run.get(i);
            long nowNanos = options.time().nanoTime();
            // A send that begins after half of the claim may still be on its way when another process takes over.
            boolean inTime =
                    nowNanos - claimedNanos < options.claim().dividedBy(2).toNanos();
            boolean slow = i > 0 && nowNanos - begunNanos > RUN_MAX.toNanos();
            Settlement settlement =
                    goOn && inTime && !slow ? send(result.settlement().entry()) : result.settlement();
            goOn = settlement instanceof Settlement.Sent;
            results.add(new Result(settlement, result.written()));
            writeSoon(i == run.size() - 1);
        }
    }

    /** What became of a run is written when it ends, or a little after its first message if it takes longer. */
    private void writeSoon(boolean runEnds) {
        try {
            if (runEnds) {
                writer.execute(this::write);
            } else if (toBeWritten.compareAndSet(false, true)) {
                writer.schedule(this::write, TOGETHER.toMillis(), TimeUnit.MILLISECONDS);
            }
        } catch (RejectedExecutionException | OutOfMemoryError e) {
            write(); // closed, or no thread for it: the rest of the run is to be settled, too
        }
    }

    private Settlement send(OutboxEntry entry) {
        try {
            Reply reply = sink.send(entry.message());
            if (reply instanceof Reply.Refused refused) {
                return dead(entry, "refused: " + refused.reason());
            }
            if (reply instanceof Reply.NotYet notYet) {
                return new Settlement.Again(entry, NOT_YET, false, FailureLog.NOT_YET + notYet.reason());
            }
            return new Settlement.Sent(entry, !options.retention().isZero());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new Settlement.Untried(entry);
        } catch (Exception | Error e) { // an error too is the message's: unsettled, it would keep its room for ever
            String why = e.getMessage() == null || e instanceof Error ? e.toString() : e.getMessage();
            if (options.retry().isUsedUp(entry.attempts())) {
                return dead(entry, why);
            }
            Duration pause =
                    options.retry().pause(entry.attempts(), entry.message().id().hashCode());
            failures.failed(entry, why, pause);
            return new Settlement.Again(entry, pause, true, why);
        }
    }

    private Settlement dead(OutboxEntry entry, String why) {
        failures.died(entry, why);
        return new Settlement.Dead(entry, why);
    }

    /** Writes all that has come together meanwhile: at most one write at a time. */
    private void write() {
        toBeWritten.set(false);
        List<Result> batch = new ArrayList<>();
        while (results.drainTo(batch, OutboxStore.BATCH_MAX) > 0) {
            settle(batch);
            batch.clear();
        }
    }

    private void settle(List<Result> batch) {
        boolean freed = false;
        try {
            freed = store.settle(
                    options.name(), batch.stream().map(Result::settlement).toList());
        } catch (TenonException e) {
            // It is sent again when the claim is over: twice, and not never.
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "The results of sent messages could not be written: the messages are sent again", e);
        } finally {
            forget(batch);
        }
        if (freed) {
            hint();
        }
    }

    private void forget(List<Result> batch) {
        batch.forEach(result -> {
            if (awaited.remove(result.written())) { // once each, as room is given back once
                underWay.decrementAndGet();
                result.written().complete(true);
            }
        });
        hintOfRoom();
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            hinted.signalAll();
        } finally {
            lock.unlock();
        }
        senders.shutdownNow();
        if (!writer.isShutdown()) {
            writeSoon(true); // what waits for more of its run has all that there will be
        }
        writer.shutdown();
        awaited.forEach(written -> written.complete(false));
    }
}
