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
     * A slot's holder. Its text has the request of the claim in it, which never comes again, as revisions do after a
     * restore.
     *
     * @param lease the lease of etcd that it goes with
     * @param text seconds of that lease, request, and number of the claim, a line each
     * @param claim the number; in what older versions wrote, the revision that made the key
     * @param written the revision that wrote it last
     */
    record Held(long lease, String text, long claim, long written) {
        static Held of(KeyValue holder) {
            String text = EtcdOps.text(holder);
            String[] lines = text.split("\n", -1);
            long claim = lines.length > 2 ? Long.parseLong(lines[2]) : holder.getCreateRevision();
            return new Held(holder.getLease(), text, claim, holder.getModRevision());
        }

        static String text(long seconds, String requestId, long claim) {
            return seconds + "\n" + requestId + "\n" + claim;
        }

        /** For how long the lease was asked. */
        long seconds() {
            return Long.parseLong(text.split("\n", -1)[0]);
        }

        String requestId() {
            return text.split("\n", -1)[1];
        }

        /** That a slot is held so still. */
        List<Compare> unchanged(String holder) {
            return List.of(EtcdOps.written(holder, written), EtcdOps.value(holder, Compare.CompareResult.EQUAL, text));
        }
    }

    /** A slot as its extension has found and left it. */
    record Extended(Optional<KeyValue> slot, Optional<KeyValue> fence, EtcdSettling.Seen seen) {}

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

    /** Whether this process has put that claim on that lease. */
    boolean holds(int workerId, long claim, long lease) {
        Held held = known.get(new Key(keys.groupName(), workerId, claim));
        return held != null && held.lease == lease;
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
        Optional<String> request = Optional.ofNullable(held).map(Held::requestId);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            held = held == null ? read(workerId, claim, request, deadline) : held;
            if (held == null) {
                forget(workerId, claim);
                return Optional.empty();
            }
            if (held.seconds() != seconds) {
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
        String next = Held.text(seconds, held.requestId(), claim);
        TxnRequest transaction = transaction(workerId, held, fence)
                .addSuccess(EtcdOps.put(keys.holder(workerId), next, lease))
                .addSuccess(EtcdOps.put(keys.request(held.requestId()), String.valueOf(workerId), lease))
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
                workerId, claim, new Held(lease, next, claim, answer.getHeader().getRevision()));
        return Optional.of(extended(answer));
    }

    private TxnRequest.Builder transaction(int workerId, Held held, Instant fence) {
        String text = EtcdSlotKeys.text(fence);
        TxnRequest raise = TxnRequest.newBuilder()
                .addCompare(EtcdOps.value(keys.fence(workerId), Compare.CompareResult.LESS, text))
                .addSuccess(EtcdOps.put(keys.fence(workerId), text))
                .build();
        return TxnRequest.newBuilder()
                .addAllCompare(held.unchanged(keys.holder(workerId)))
                .addSuccess(EtcdOps.nested(raise))
                .addSuccess(EtcdOps.get(keys.slot(workerId)))
                .addSuccess(EtcdOps.get(keys.fence(workerId)))
                .addSuccess(EtcdOps.get(keys.mark()));
    }

    private static Extended extended(TxnResponse answer) {
        return new Extended(
                EtcdOps.foundOne(answer, 1),
                EtcdOps.foundOne(answer, 2),
                new EtcdSettling.Seen(EtcdOps.foundOne(answer, 3), Optional.empty(), answer.getHeader()));
    }

    /**
     * Ends a claim, and sets the fence of its slot to what was used.
     *
     * @return the lease that then holds nothing any more; empty: the claim was over
     */
    Optional<Long> end(int workerId, long claim, Instant used) {
        Deadline deadline = link.deadline();
        Held held = known.get(new Key(keys.groupName(), workerId, claim));
        Optional<String> request = Optional.ofNullable(held).map(Held::requestId);
        forget(workerId, claim);
        for (int attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
            held = held == null ? read(workerId, claim, request, deadline) : held;
            if (held == null) {
                return Optional.empty();
            }
            TxnRequest end = TxnRequest.newBuilder()
                    .addAllCompare(held.unchanged(keys.holder(workerId)))
                    .addSuccess(EtcdOps.get(keys.holder(workerId)))
                    .addSuccess(EtcdOps.put(keys.fence(workerId), EtcdSlotKeys.text(used)))
                    .addSuccess(EtcdOps.delete(keys.holder(workerId)))
                    .build();
            TxnResponse answer = link.call(EtcdOps.WRITE, end, deadline);
            if (answer.getSucceeded()) {
                return EtcdOps.foundOne(answer, 0).map(KeyValue::getLease);
            }
            held = null;
        }
        throw new BackendUnavailableException(
                "etcd: the lease of worker ID " + workerId + " changed each of " + ATTEMPTS_MAX + " times");
    }

    private @Nullable Held read(int workerId, long claim, Optional<String> request, Deadline deadline) {
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.get(keys.holder(workerId))), deadline);
        return EtcdOps.foundOne(answer, 0)
                .map(Held::of)
                .filter(held -> held.claim == claim)
                .filter(held -> request.isEmpty() || request.get().equals(held.requestId()))
                .orElse(null);
    }
}
