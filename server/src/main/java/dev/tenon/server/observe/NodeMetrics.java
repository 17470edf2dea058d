package dev.tenon.server.observe;

import dev.tenon.raft.RaftStatus;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.outbox.OutboxService;
import dev.tenon.server.outbox.OutboxService.Known;
import dev.tenon.server.quota.Quota;
import dev.tenon.server.quota.Quotas;
import dev.tenon.server.tx.TransactionService;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** What a node is asked for when its metrics are read. */
public final class NodeMetrics {
    /** One look at the log serves all the gauges of one reading. */
    private static final long FRESH_NANOS = 1_000_000_000L;

    private final ServerBackend backend;
    private volatile Look look = new Look(Optional.empty(), 0);

    private record Look(Optional<RaftStatus> status, long nanos) {}

    private NodeMetrics(ServerBackend backend) {
        this.backend = backend;
    }

    /** Has {@code metrics} ask these from now on. */
    public static void bind(
            Metrics metrics, ServerBackend backend, IdCatalog ids, Optional<TransactionService> transactions) {
        metrics.perName("tenon.ids.issued", "IDs that this server has issued since it started", ids::issued);
        metrics.gauge(
                "tenon.sequences.regressed",
                "Names whose store was seen to go back, and perhaps was not repaired since",
                () -> ids.maybeRegressed().size());
        metrics.counter(
                "tenon.worker.ids.forgotten",
                "Worker IDs that the store had forgotten, whose holders told it so",
                ids.forgotten()::total);
        metrics.gauge(
                "tenon.worker.ids.waiting",
                "Names that get no worker ID yet, as the store may have forgotten who holds them",
                () -> ids.forgotten().waiting().size());
        metrics.gauge(
                "tenon.transactions.suspended",
                "Transactions that wait for an operator, up to 1000; NaN where it is not known",
                () -> transactions.map(TransactionService::suspended).orElse(Double.NaN));
        metrics.gauge(
                "tenon.transactions.stuck",
                "Transactions that are suspended or reported as stuck, up to 1000; NaN where it is not known",
                () -> transactions.map(TransactionService::stuck).orElse(Double.NaN));
        if (backend.raftStatus().isPresent()) {
            new NodeMetrics(backend).bindLog(metrics);
        }
    }

    /** Has {@code metrics} ask outboxes from now on. */
    public static void bindOutbox(Metrics metrics, Optional<OutboxService> outbox) {
        metrics.gauge(
                "tenon.outbox.dead.letters",
                "Dead letters of all outboxes in the database, of each up to 1000; NaN where it is not known",
                () -> known(outbox, Known::deadLetters));
        metrics.gauge(
                "tenon.outbox.lag.seconds",
                "For how long the message of an outbox that has waited longest has been due; NaN where it is not known",
                () -> known(outbox, known -> known.lag().toNanos() / 1e9));
        metrics.gauge(
                "tenon.outbox.lanes.failing",
                "Lanes of outboxes whose first message has failed, of each outbox up to 100; NaN where it is not known",
                () -> known(outbox, Known::failingLanes));
    }

    private static Number known(Optional<OutboxService> outbox, Function<Known, Number> value) {
        return outbox.flatMap(OutboxService::known).map(value).orElse(Double.NaN);
    }

    /** Has {@code metrics} ask quotas from now on. */
    public static void bindQuotas(Metrics metrics, Quotas quotas) {
        for (LimitedResource resource : LimitedResource.values()) {
            Quota quota = quotas.of(resource);
            metrics.quota(resource.label(), quota::used, quota::limit, quota::refusals);
        }
    }

    private void bindLog(Metrics metrics) {
        gauge(
                metrics,
                "tenon.locks.held",
                "Locks that somebody holds",
                s -> s.load().held());
        gauge(
                metrics,
                "tenon.lock.waiters",
                "Requests in the queues of locks",
                s -> s.load().waiting());
        gauge(metrics, "tenon.sessions.open", "Sessions", s -> s.load().sessions());
        gauge(metrics, "tenon.raft.leader", "1: this node leads", s -> s.leads() ? 1 : 0);
        gauge(metrics, "tenon.raft.term", "The number of the latest election", RaftStatus::term);
        gauge(metrics, "tenon.raft.log.index", "The latest entry in the log of this node", RaftStatus::last);
        gauge(metrics, "tenon.raft.commit.index", "The latest entry on a majority", RaftStatus::committed);
        gauge(metrics, "tenon.raft.applied.index", "The latest entry applied here", RaftStatus::applied);
        gauge(metrics, "tenon.raft.snapshot.index", "Up to where the latest snapshot goes", RaftStatus::snapshot);
        metrics.counter(
                "tenon.raft.syncs",
                "Writes of the log that reached the disk",
                () -> latest().map(s -> s.disk().syncs()).orElse(0L));
        metrics.gauge(
                "tenon.raft.sync.median.seconds",
                "How long a write of the log takes to reach the disk, of late: half of them take less",
                () -> latest().map(s -> s.disk().median().toNanos() / 1e9).orElse(Double.NaN));
        metrics.gauge(
                "tenon.raft.sync.p99.seconds",
                "How long a write of the log takes to reach the disk, of late: 99 of 100 take less",
                () -> latest().map(s -> s.disk().p99().toNanos() / 1e9).orElse(Double.NaN));
    }

    private void gauge(Metrics metrics, String name, String description, ToLongFunction<RaftStatus> value) {
        metrics.gauge(
                name,
                description,
                () -> latest().<Number>map(value::applyAsLong).orElse(Double.NaN));
    }

    private Optional<RaftStatus> latest() {
        Look known = look;
        if (known.status().isEmpty() || System.nanoTime() - known.nanos() > FRESH_NANOS) {
            known = new Look(backend.raftStatus(), System.nanoTime());
            look = known;
        }
        return known.status();
    }
}
