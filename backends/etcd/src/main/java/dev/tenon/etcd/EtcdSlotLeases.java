package dev.tenon.etcd;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrantResponse;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.LeaseRevokeResponse;
import io.etcd.jetcd.api.LeaseTimeToLiveRequest;
import io.etcd.jetcd.api.LeaseTimeToLiveResponse;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The leases of etcd that hold the slots of one worker group. Thread-safe. */
final class EtcdSlotLeases {
    static final EtcdLink.Method<LeaseGrantRequest, LeaseGrantResponse> GRANT =
            new EtcdLink.Method<>(LeaseGrpc.getLeaseGrantMethod(), true);
    static final EtcdLink.Method<LeaseRevokeRequest, LeaseRevokeResponse> REVOKE =
            new EtcdLink.Method<>(LeaseGrpc.getLeaseRevokeMethod(), true);
    private static final EtcdLink.Method<LeaseTimeToLiveRequest, LeaseTimeToLiveResponse> TIME_TO_LIVE =
            new EtcdLink.Method<>(LeaseGrpc.getLeaseTimeToLiveMethod(), true);
    static final EtcdLink.Method<LeaseKeepAliveRequest, LeaseKeepAliveResponse> KEEP_ALIVE =
            new EtcdLink.Method<>(LeaseGrpc.getLeaseKeepAliveMethod(), false);

    private static final int ATTEMPTS_MAX = 5;

    private final EtcdLink link;
    private final EtcdSlotKeys keys;
    private final Map<Key, Held> known;

    /**
     * @param known what this process knows of its own slots; only saves asking, and may be wrong
     */
    EtcdSlotLeases(EtcdLink link, EtcdSlotKeys keys, Map<Key, Held> known) {
        this.link = link;
        this.keys = keys;
        this.known = known;
    }

    record Key(String group, int workerId, long claim) {}

    /**
     * A slot's holder.
     *
     * @param lease the lease of etcd that it goes with
     * @param seconds for how long that was asked
     * @param requestId of the claim
     * @param written the revision that wrote it last: compared, it stands for all of this
     */
    record Held(long lease, long seconds, String requestId, long written) {
        static Held of(KeyValue holder) {
            String[] lines = EtcdOps.text(holder).split("\n", -1);
            return new Held(holder.getLease(), Long.parseLong(lines[0]), lines[1], holder.getModRevision());
        }

        String text() {
            return seconds + "\n" + requestId;
        }
    }

    /** A slot as its extension has found and left it. */
    record Extended(Optional<KeyValue> slot, Optional<KeyValue> fence) {}

    /** The whole seconds that a lease of etcd takes, never fewer than asked for. */
    static long seconds(Duration lease) {
        return lease.getSeconds() + (lease.getNano() > 0 ? 1 : 0);
    }

    long grant(long seconds, Deadline deadline) {
        LeaseGrantRequest request =
                LeaseGrantRequest.newBuilder().setTTL(seconds).build();
        return link.call(GRANT, request, deadline).getID();
    }

    /** Ends a lease that holds nothing any more; without etcd's answer it runs out by itself. */
    void giveUp(long lease) {
        try {
            link.call(REVOKE, LeaseRevokeRequest.newBuilder().setID(lease).build(), link.deadline());
        } catch (BackendUnavailableException e) {
            // Nobody waits for it.
        }
    }

    void remember(int workerId, long claim, Held held) {
        known.put(new Key(keys.groupName(), workerId, claim), held);
    }

    void forget(int workerId, long claim) {
        known.remove(new Key(keys.groupName(), workerId, claim));
    }

    /** What is left of the leases of these holders, in whole seconds; no more than was granted. */
    List<Duration> left(List<KeyValue> holders) {
        List<LeaseTimeToLiveRequest> requests = holders.stream()
                .map(holder -> LeaseTimeToLiveRequest.newBuilder()
                        .setID(holder.getLease())
                        .build())
                .toList();
        // etcd cuts the fraction off. A lease that is over holds its slot until etcd has removed it: so it is not zero.
        return link.callAll(TIME_TO_LIVE, requests).stream()
                .map(answer -> Duration.ofSeconds(Math.max(1, Math.min(answer.getTTL() + 1, answer.getGrantedTTL()))))
                .toList();
    }

    /**
     * Has a claim's lease run anew, for so many seconds, and its fence reach at least so far.
     *
     * <p>The leader of etcd extends a lease without asking the others, so one that was deposed and does not know it yet
     * may promise what its successor does not keep. The transaction behind it does ask them: if its term is that of the
     * promise, then there was no successor before the promise, and a later one counts the lease anew from its start.
     *
     * @return empty: the claim is over
     */
    Optional<Extended> extend(int workerId, long claim, long seconds, Instant fence) {
        Deadline deadline = link.deadline();
        Held held = known.get(new Key(keys.groupName(), workerId, claim));
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            held = held == null ? read(workerId, claim, deadline) : held;
            if (held == null) {
                forget(workerId, claim);
                return Optional.empty();
            }
            if (held.seconds != seconds) {
                Optional<Extended> moved = move(workerId, claim, held, seconds, fence);
                if (moved.isPresent()) {
                    return moved;
                }
                held = null;
                continue;
            }
            LeaseKeepAliveResponse kept = link.call(
                    KEEP_ALIVE,
                    LeaseKeepAliveRequest.newBuilder().setID(held.lease).build(),
                    deadline);
            if (kept.getTTL() <= 0) {
                held = null;
                continue;
            }
            TxnResponse answer =
                    link.call(EtcdOps.WRITE, transaction(workerId, held, fence).build(), deadline);
            if (!answer.getSucceeded()) {
                held = null;
            } else if (answer.getHeader().getRaftTerm() == kept.getHeader().getRaftTerm()) {
                remember(workerId, claim, held);
                return Optional.of(extended(answer));
            }
        }
        throw new BackendUnavailableException("etcd: its leader or the lease of worker ID " + workerId
                + " changed each of " + ATTEMPTS_MAX + " times");
    }

    /** Puts a slot on another lease: one of etcd can't be had to last longer, or shorter, than it was granted for. */
    private Optional<Extended> move(int workerId, long claim, Held held, long seconds, Instant fence) {
        Deadline deadline = link.deadline();
        long lease = grant(seconds, deadline);
        Held next = new Held(lease, seconds, held.requestId, 0);
        TxnRequest transaction = transaction(workerId, held, fence)
                .addSuccess(EtcdOps.put(keys.holder(workerId), next.text(), lease))
                .addSuccess(EtcdOps.put(keys.request(held.requestId), String.valueOf(workerId), lease))
                .build();
        TxnResponse answer;
        try {
            answer = link.call(EtcdOps.WRITE, transaction, deadline);
        } catch (OutcomeUnknownException e) {
            forget(workerId, claim);
            throw e;
        } catch (BackendUnavailableException e) {
            giveUp(lease);
            throw e;
        }
        giveUp(answer.getSucceeded() ? held.lease : lease);
        if (!answer.getSucceeded()) {
            return Optional.empty();
        }
        remember(
                workerId,
                claim,
                new Held(lease, seconds, held.requestId, answer.getHeader().getRevision()));
        return Optional.of(extended(answer));
    }

    private TxnRequest.Builder transaction(int workerId, Held held, Instant fence) {
        String text = EtcdSlotKeys.text(fence);
        TxnRequest raise = TxnRequest.newBuilder()
                .addCompare(EtcdOps.value(keys.fence(workerId), Compare.CompareResult.LESS, text))
                .addSuccess(EtcdOps.put(keys.fence(workerId), text))
                .build();
        return TxnRequest.newBuilder()
                .addCompare(EtcdOps.written(keys.holder(workerId), held.written))
                .addSuccess(EtcdOps.nested(raise))
                .addSuccess(EtcdOps.get(keys.slot(workerId)))
                .addSuccess(EtcdOps.get(keys.fence(workerId)));
    }

    private static Extended extended(TxnResponse answer) {
        return new Extended(EtcdOps.foundOne(answer, 1), EtcdOps.foundOne(answer, 2));
    }

    private @Nullable Held read(int workerId, long claim, Deadline deadline) {
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.get(keys.holder(workerId))), deadline);
        List<KeyValue> holder = new ArrayList<>(EtcdOps.found(answer, 0));
        holder.removeIf(pair -> pair.getCreateRevision() != claim);
        return holder.isEmpty() ? null : Held.of(holder.get(0));
    }
}
