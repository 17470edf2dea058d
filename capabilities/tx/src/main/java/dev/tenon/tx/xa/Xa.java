package dev.tenon.tx.xa;

import dev.tenon.DaemonThreads;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.Transactions;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Transactions over several databases of one service: all of them commit, or none does, whichever process is killed at
 * whatever moment. This is two-phase commit with presumed abort (Mohan, Lindsay and Obermarck, "Transaction management
 * in the R* distributed database management system", TODS 1986) over the XA interface of the drivers: the branches are
 * prepared at the same time, the decision is one write to the log, and the branches are committed at the same time.
 * Thread-safe.
 */
public final class Xa implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Xa.class.getName());
    private static final Duration LAST_WRITES = Duration.ofSeconds(5);

    private final Transactions transactions;
    private final XaDatabases databases;
    private final XaOptions options;
    private final String service;
    private final ThreadPoolExecutor threads;
    private final ScheduledExecutorService timer;
    private final XaDecisions decisions;
    private final XaOrphans orphans;
    private final Map<TransactionId, XaTransaction> open = new ConcurrentHashMap<>();

    private Xa(Transactions transactions, XaDatabases databases, XaOptions options) {
        this.transactions = transactions;
        this.databases = databases;
        this.options = options;
        this.service = transactions.options().service();
        if (!XaId.SERVICE.matcher(service).matches()) {
            throw new IllegalArgumentException("XA needs a service name of 1 to 27 letters, digits and . _ - (it is \""
                    + service + "\"): TransactionOptions.withService. It begins the name of each branch, and must be no"
                    + " other service's on the same database servers");
        }
        // No queue: when all threads are at work, the caller does it.
        this.threads = new ThreadPoolExecutor(
                0,
                options.threads(),
                10,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                DaemonThreads.numbered("tenon-xa"),
                (task, pool) -> task.run());
        this.timer = new ScheduledThreadPoolExecutor(1, DaemonThreads.numbered("tenon-xa-recovery"));
        this.decisions = new XaDecisions(transactions, databases, options);
        this.orphans = new XaOrphans(transactions, decisions, databases, options);
    }

    /**
     * XA over a log and its databases. Nothing runs by itself until {@link #start}; nor does {@link
     * Transactions#start}.
     *
     * @param transactions whose participants include {@code databases}, and whose service has a name
     * @throws IllegalArgumentException if the service has no name, or one that does not fit into the name of a branch
     */
    public static Xa over(Transactions transactions, XaDatabases databases, XaOptions options) {
        return new Xa(transactions, databases, options);
    }

    /** As {@link #over(Transactions, XaDatabases, XaOptions)}, with {@link XaOptions#DEFAULT}. */
    public static Xa over(Transactions transactions, XaDatabases databases) {
        return over(transactions, databases, XaOptions.DEFAULT);
    }

    /** Polls by itself for branches without a decision, every {@link XaOptions#pollEvery}. Returns this. */
    public Xa start() {
        long millis = options.pollEvery().toMillis();
        timer.scheduleWithFixedDelay(this::passQuietly, 0, millis, TimeUnit.MILLISECONDS);
        return this;
    }

    /** Begins a transaction. Nothing is written or sent. */
    public XaTransaction begin() {
        return begun(Optional.empty());
    }

    /**
     * Begins a transaction with a <i>last resource</i>: one database that is asked last, and takes part with an
     * ordinary connection. Its commit carries the decision, so no other write is spent on that (Gray, "Notes on data
     * base operating systems", 1978; known as "last resource commit").
     *
     * @param last a connection with a transaction open, of the database that has the log. The transaction commits it or
     *     rolls it back; closing it is the caller's
     */
    public XaTransaction begin(Connection last) {
        return begun(Optional.of(last));
    }

    private XaTransaction begun(Optional<Connection> last) {
        XaTransaction transaction = new XaTransaction(this, transactions.newId(), last);
        open.put(transaction.id(), transaction);
        return transaction;
    }

    /**
     * One pass of recovery: rolls back transactions of this process that are past their deadline, and branches that are
     * prepared without a decision in the log. What was decided is {@link Transactions#runOnce}'s. A database that does
     * not answer is left out.
     *
     * @return how many branches were found and dealt with
     * @throws dev.tenon.TenonException if the log can't be asked
     */
    public int runOnce() {
        open.values().forEach(XaTransaction::expire);
        return orphans.runOnce();
    }

    private void passQuietly() {
        try {
            runOnce();
        } catch (RuntimeException e) {
            // The log is away: the next pass does what this one could not. What is thrown from here ends all passes.
            if (!timer.isShutdown()) { // whose pass is interrupted
                LOG.log(Level.WARNING, "Recovery of XA transactions has failed; it is retried at the next poll", e);
            }
        }
    }

    XaDatabases databases() {
        return databases;
    }

    XaOptions options() {
        return options;
    }

    String service() {
        return service;
    }

    void ended(XaTransaction transaction) {
        open.remove(transaction.id());
    }

    /** A branch of this transaction may be prepared, and this process will not decide it: recovery need not wait. */
    void givesUp(TransactionId gid) {
        orphans.hint(gid);
    }

    XaDecisions decisions() {
        return decisions;
    }

    /** Does it at some time, in another thread. */
    void later(Runnable work) {
        threads.execute(work);
    }

    /** Does something to all branches at the same time, and waits; the answers are in their order. */
    <R> List<R> each(List<XaBranch> branches, Function<XaBranch, R> work) {
        List<CompletableFuture<R>> others = branches.stream()
                .skip(1)
                .map(branch -> CompletableFuture.supplyAsync(() -> work.apply(branch), threads))
                .toList();
        List<R> answers = new ArrayList<>();
        branches.stream().limit(1).map(work).forEach(answers::add);
        others.forEach(other -> answers.add(other.join()));
        return answers;
    }

    /** Recovers no more. The databases stay open: they have an end of their own. Idempotent. */
    @Override
    public void close() {
        timer.shutdownNow();
        threads.shutdown();
        try {
            // Ends that were not written down would be found out again by recovery, at more cost.
            if (!threads.awaitTermination(LAST_WRITES.toMillis(), TimeUnit.MILLISECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
