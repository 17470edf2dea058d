package dev.tenon.etcd;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.spi.WorkerClaim;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.ResponseHeader;
import io.etcd.jetcd.api.StatusRequest;
import io.etcd.jetcd.api.StatusResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.grpc.Deadline;
import io.grpc.Status;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Whether etcd may have forgotten who holds the worker IDs of a group since the group was last claimed from. What etcd
 * has answered it keeps, but for who puts older data back; and that it can't say itself. So the group's mark notes:
 *
 * <ul>
 *   <li>the cluster's ID, and the term of Raft. A copy of data folders that is put back needs an election first, and so
 *       comes up in a later term than any that it has noted. A change of leader does so too, and can't be told from it.
 *   <li>the index of Raft, by how much it is ahead of the revision. Each entry of the log raises the index by one, and
 *       the revision by one at most: so the lead never shrinks in one history. A snapshot that is restored keeps its
 *       revision and begins a new log, in a term and under a cluster ID that may be those of before.
 * </ul>
 *
 * <p>Nobody but who keeps a slot gets one while the key {@code settling} is there, which goes with a lease of etcd.
 */
final class EtcdSettling {
    private static final EtcdLink.Method<StatusRequest, StatusResponse> STATUS =
            new EtcdLink.Method<>(MaintenanceGrpc.getStatusMethod(), true);
    private static final long INDEX_UNKNOWN = -1;

    /**
     * A log that is shorter is made this long before it is noted: by so much another one must grow to be taken for it.
     */
    private static final long INDEX_LEAST = 256;

    private final EtcdLink link;
    private final EtcdSlotKeys keys;
    private final EtcdSlotLeases leases;

    EtcdSettling(EtcdLink link, EtcdSlotKeys keys, EtcdSlotLeases leases) {
        this.link = link;
        this.keys = keys;
        this.leases = leases;
    }

    /**
     * What one read shows.
     *
     * @param mark what the group has noted of etcd
     * @param settling there while no slot is given
     * @param header of the answer
     */
    record Seen(Optional<KeyValue> mark, Optional<KeyValue> settling, ResponseHeader header) {
        /** Whether etcd is in the term that was noted: no leader has changed, no copy was put back. */
        boolean inTermNoted() {
            return mark.map(Mark::of).filter(noted -> noted.isOf(header)).isPresent();
        }

        long longestSeconds() {
            return mark.map(Mark::of).map(Mark::longestSeconds).orElse(0L);
        }
    }

    private record Mark(long cluster, long term, long index, long longestSeconds, long written) {
        static Mark of(KeyValue pair) {
            String[] lines = EtcdOps.text(pair).split("\n", -1);
            return new Mark(
                    Long.parseUnsignedLong(lines[0], 16),
                    Long.parseLong(lines[1]),
                    Long.parseLong(lines[2]),
                    Long.parseLong(lines[3]),
                    pair.getModRevision());
        }

        boolean isOf(ResponseHeader header) {
            return cluster == header.getClusterId() && term == header.getRaftTerm();
        }

        String text() {
            return Long.toHexString(cluster) + "\n" + term + "\n" + index + "\n" + longestSeconds;
        }
    }

    /** What the log of etcd looks like. */
    enum Log {
        /** The one in which the mark was written. */
        SAME,
        /** Another one. */
        OTHER,
        /** The member that was asked does not know the mark yet. */
        BEHIND
    }

    /** Begins to ask where the log of etcd is: waited for, its answer is empty where etcd may not be asked that. */
    Supplier<Optional<StatusResponse>> askStatus(Deadline deadline) {
        Supplier<StatusResponse> asked = link.begin(STATUS, StatusRequest.getDefaultInstance(), deadline);
        return () -> {
            try {
                return Optional.of(asked.get());
            } catch (BackendUnavailableException e) {
                if (mayNotAsk(e)) {
                    return Optional.empty();
                }
                throw e;
            }
        };
    }

    private static boolean mayNotAsk(BackendUnavailableException e) {
        Status.Code code = Status.fromThrowable(e).getCode();
        return code == Status.Code.PERMISSION_DENIED || code == Status.Code.UNIMPLEMENTED;
    }

    /** Compares the log with the mark that a read has shown before the status was asked for. */
    static Log log(Seen seen, Optional<StatusResponse> status) {
        Optional<Mark> noted = seen.mark.map(Mark::of).filter(mark -> mark.index != INDEX_UNKNOWN);
        if (noted.isEmpty() || status.isEmpty()) {
            return Log.SAME;
        }
        Mark mark = noted.get();
        // A member's revision is no later than its index: its lead is at least that of the moment.
        long revision = status.get().getHeader().getRevision();
        if (revision < mark.written) {
            return Log.BEHIND;
        }
        return status.get().getRaftIndex() - revision < mark.index - mark.written ? Log.OTHER : Log.SAME;
    }

    /** How long no slot is given; zero if they are. */
    Duration left(Seen seen) {
        return seen.settling.map(key -> leases.left(List.of(key)).get(0)).orElse(Duration.ZERO);
    }

    /**
     * Notes what etcd is now, and the longest lease; if that is later than what was seen, nothing happens, and a read
     * shows why.
     *
     * @param group as it was read: capacity and layout, if it is there
     * @param definition its capacity and layout
     * @param forgot whether slots are not to be given until the longest lease is over
     */
    void note(EtcdSlotChoice group, String definition, WorkerClaim claim, boolean forgot, Deadline deadline) {
        Seen seen = group.seen();
        long longest = Math.max(seen.longestSeconds(), EtcdSlotLeases.seconds(claim.lease()));
        // Asked for before it is written: the lead that is noted is no greater than that of the mark.
        long index = index(deadline);
        if (index != INDEX_UNKNOWN && index < INDEX_LEAST) {
            link.callAll(EtcdOps.WRITE, Collections.nCopies((int) (INDEX_LEAST - index), entryWithoutEffect()));
            index = index(deadline);
        }
        Mark mark = new Mark(seen.header.getClusterId(), seen.header.getRaftTerm(), index, longest, 0);
        boolean settle = forgot || seen.settling.isPresent();
        TxnRequest.Builder note = TxnRequest.newBuilder()
                .addCompare(EtcdOps.unchanged(keys.group(), group.group()))
                .addCompare(EtcdOps.unchanged(keys.mark(), seen.mark.map(EtcdOps::text)))
                .addSuccess(EtcdOps.put(keys.group(), definition))
                .addSuccess(EtcdOps.put(keys.mark(), mark.text()));
        if (!settle) {
            link.call(EtcdOps.WRITE, note.build(), deadline);
            return;
        }
        long lease = leases.grant(longest, deadline);
        note.addCompare(EtcdOps.written(
                        keys.settling(),
                        seen.settling.map(KeyValue::getModRevision).orElse(0L)))
                .addSuccess(EtcdOps.put(keys.settling(), String.valueOf(longest), lease));
        if (link.call(EtcdOps.WRITE, note.build(), deadline).getSucceeded()) {
            seen.settling.map(KeyValue::getLease).ifPresent(leases::giveUp);
        } else {
            leases.giveUp(lease);
        }
    }

    private long index(Deadline deadline) {
        return askStatus(deadline).get().map(StatusResponse::getRaftIndex).orElse(INDEX_UNKNOWN);
    }

    /** Raises the index, and not the revision: what it is founded on never is. */
    private TxnRequest entryWithoutEffect() {
        return TxnRequest.newBuilder()
                .addCompare(EtcdOps.written(keys.mark(), Long.MAX_VALUE))
                .addSuccess(EtcdOps.put(keys.mark(), ""))
                .build();
    }
}
