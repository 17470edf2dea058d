package dev.tenon.etcd;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * The slots of one group as keys of etcd ({@link EtcdSlotKeys}). A slot is leased while the key of its holder is there,
 * and that goes with a lease of etcd: what has run out by etcd's clock is gone for everybody at once. Every change is a
 * transaction that compares what it was founded on.
 */
final class EtcdWorkerIdSource implements WorkerIdSource {
    private static final int HOLDERS_NAMED_MAX = 10;

    private final EtcdLink link;
    private final EtcdSlotKeys keys;
    private final EtcdSlotLeases leases;

    EtcdWorkerIdSource(EtcdLink link, EtcdSlotKeys keys, Map<EtcdSlotLeases.Key, EtcdSlotLeases.Held> known) {
        this.link = link;
        this.keys = keys;
        this.leases = new EtcdSlotLeases(link, keys, known);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        Deadline deadline = link.deadline();
        long seconds = EtcdSlotLeases.seconds(claim.lease());
        long lease = 0;
        try {
            for (int lost = 0; ; lost++) {
                EtcdSlotChoice group = read(claim.requestId(), deadline);
                requireSame(group, claim);
                Optional<WorkerSlot> repeated = repeated(group, claim.requestId(), seconds);
                if (repeated.isPresent()) {
                    return repeated.get();
                }
                OptionalInt chosen = group.choose(claim, lost);
                if (chosen.isEmpty()) {
                    throw refusal(claim);
                }
                lease = lease == 0 ? leases.grant(seconds, deadline) : lease;
                Optional<WorkerSlot> mine = take(group, claim, chosen.getAsInt(), lease, deadline);
                if (mine.isPresent()) {
                    lease = 0;
                    return mine.get();
                }
                link.pause(lost, deadline);
            }
        } catch (OutcomeUnknownException e) {
            // If it happened, then the repeated request must find it.
            lease = 0;
            throw e;
        } finally {
            if (lease != 0) {
                leases.giveUp(lease);
            }
        }
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        long seconds = EtcdSlotLeases.seconds(WorkerClaim.requireLease(lease));
        return leases.extend(slot.workerId(), slot.claim(), seconds, fence).isPresent();
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Instant used = slot.floor().isBefore(lastUsed) ? lastUsed : slot.floor();
        String holder = keys.holder(slot.workerId());
        TxnRequest release = TxnRequest.newBuilder()
                .addCompare(EtcdOps.created(holder, slot.claim()))
                .addSuccess(EtcdOps.get(holder))
                .addSuccess(EtcdOps.put(keys.fence(slot.workerId()), EtcdSlotKeys.text(used)))
                .addSuccess(EtcdOps.delete(holder))
                .build();
        TxnResponse answer = link.call(EtcdOps.WRITE, release, link.deadline());
        leases.forget(slot.workerId(), slot.claim());
        if (answer.getSucceeded()) {
            // Takes the key of the request along; until then that leads to a slot without its holder, that is nowhere.
            EtcdOps.foundOne(answer, 0).ifPresent(gone -> leases.giveUp(gone.getLease()));
        }
    }

    @Override
    public List<WorkerSlotView> census() {
        return census(0, 0);
    }

    private EtcdSlotChoice read(String requestId, Deadline deadline) {
        TxnResponse answer = link.call(
                EtcdOps.READ,
                EtcdOps.all(
                        EtcdOps.get(keys.group()),
                        EtcdOps.get(keys.request(requestId)),
                        EtcdOps.list(keys.holder(0), keys.end(keys.holder(0)), 0),
                        EtcdOps.list(keys.fence(0), keys.end(keys.fence(0)), 0)),
                deadline);
        Map<Integer, KeyValue> holders = bySlot(EtcdOps.found(answer, 2));
        TreeMap<Integer, String> fences = new TreeMap<>();
        bySlot(EtcdOps.found(answer, 3)).forEach((id, fence) -> fences.put(id, EtcdOps.text(fence)));
        return new EtcdSlotChoice(
                EtcdOps.foundOne(answer, 0).map(EtcdOps::text), EtcdOps.foundOne(answer, 1), holders, fences);
    }

    private void requireSame(EtcdSlotChoice group, WorkerClaim claim) {
        String wanted = definition(claim);
        String known = group.group().orElse(wanted);
        if (!known.equals(wanted)) {
            throw new DefinitionConflictException("Worker group \"" + keys.groupName() + "\" has "
                    + known.replace("\n", " worker IDs of layout ") + ", not "
                    + wanted.replace("\n", " worker IDs of layout ")
                    + ": use the same layout in every process, or another group");
        }
    }

    private static String definition(WorkerClaim claim) {
        return claim.capacity() + "\n" + claim.layout();
    }

    private Optional<WorkerSlot> repeated(EtcdSlotChoice group, String requestId, long seconds) {
        Optional<KeyValue> holder = group.request()
                .map(request -> group.holders().get(Integer.parseInt(EtcdOps.text(request))))
                .filter(found -> EtcdSlotLeases.Held.of(found).requestId().equals(requestId));
        if (holder.isEmpty()) {
            return Optional.empty();
        }
        int workerId = EtcdSlotKeys.workerId(holder.get().getKey().toStringUtf8());
        long claim = holder.get().getCreateRevision();
        return leases.extend(workerId, claim, seconds, Instant.EPOCH)
                .map(slot -> new WorkerSlot(
                        workerId,
                        claim,
                        Latest.of(slot.slot().orElseThrow()).floor,
                        EtcdSlotKeys.instant(EtcdOps.text(slot.fence().orElseThrow()))));
    }

    private Optional<WorkerSlot> take(
            EtcdSlotChoice group, WorkerClaim claim, int workerId, long lease, Deadline deadline) {
        Optional<String> before = Optional.ofNullable(group.fences().get(workerId));
        Instant floor = before.map(EtcdSlotKeys::instant).orElse(Instant.EPOCH);
        Instant from = floor.isBefore(claim.now()) ? claim.now() : floor;
        Instant fence = EtcdSlotKeys.roundUp(from.plus(claim.reserve()));
        EtcdSlotLeases.Held held =
                new EtcdSlotLeases.Held(lease, EtcdSlotLeases.seconds(claim.lease()), claim.requestId(), 0);
        Latest latest = new Latest(claim.requestId(), claim.owner(), claim.now().truncatedTo(ChronoUnit.MILLIS), floor);
        TxnRequest take = TxnRequest.newBuilder()
                .addCompare(EtcdOps.unchanged(keys.group(), group.group()))
                .addCompare(EtcdOps.written(
                        keys.request(claim.requestId()),
                        group.request().map(KeyValue::getModRevision).orElse(0L)))
                .addCompare(EtcdOps.created(keys.holder(workerId), 0))
                .addCompare(EtcdOps.unchanged(keys.fence(workerId), before))
                .addSuccess(EtcdOps.put(keys.group(), definition(claim)))
                .addSuccess(EtcdOps.put(keys.slot(workerId), latest.text()))
                .addSuccess(EtcdOps.put(keys.fence(workerId), EtcdSlotKeys.text(fence)))
                .addSuccess(EtcdOps.put(keys.holder(workerId), held.text(), lease))
                .addSuccess(EtcdOps.put(keys.request(claim.requestId()), String.valueOf(workerId), lease))
                .build();
        TxnResponse answer = link.call(EtcdOps.WRITE, take, deadline);
        if (!answer.getSucceeded()) {
            return Optional.empty();
        }
        long revision = answer.getHeader().getRevision();
        leases.remember(workerId, revision, new EtcdSlotLeases.Held(lease, held.seconds(), held.requestId(), revision));
        return Optional.of(new WorkerSlot(workerId, revision, floor, fence));
    }

    private RuntimeException refusal(WorkerClaim claim) {
        if (claim.wanted().isPresent()) {
            return census(claim.wanted().getAsInt(), 1).stream()
                    .findFirst()
                    .map(holder -> new WorkerIdTakenException(keys.groupName(), holder))
                    .orElseGet(() -> new WorkerIdTakenException("The wanted worker ID is leased"));
        }
        return new WorkerIdsExhaustedException(keys.groupName(), claim.capacity(), census(0, HOLDERS_NAMED_MAX));
    }

    /** The slots from one on, at most so many of them (0: all). */
    private List<WorkerSlotView> census(int from, int limit) {
        TxnResponse answer = link.call(
                EtcdOps.READ,
                EtcdOps.all(
                        EtcdOps.list(keys.slot(from), keys.end(keys.slot(0)), limit),
                        EtcdOps.list(keys.fence(from), keys.end(keys.fence(0)), limit),
                        EtcdOps.list(keys.holder(from), keys.end(keys.holder(0)), limit)),
                link.deadline());
        Map<Integer, KeyValue> fences = bySlot(EtcdOps.found(answer, 1));
        List<KeyValue> holders = EtcdOps.found(answer, 2);
        List<Duration> left = leases.left(holders);
        Map<Integer, Duration> leased = new HashMap<>();
        for (int i = 0; i < holders.size(); i++) {
            leased.put(EtcdSlotKeys.workerId(holders.get(i).getKey().toStringUtf8()), left.get(i));
        }
        List<WorkerSlotView> views = new ArrayList<>();
        bySlot(EtcdOps.found(answer, 0)).forEach((id, slot) -> {
            Latest latest = Latest.of(slot);
            KeyValue fence = fences.get(id);
            views.add(new WorkerSlotView(
                    id,
                    latest.owner,
                    latest.since,
                    leased.getOrDefault(id, Duration.ZERO),
                    fence == null ? latest.floor : EtcdSlotKeys.instant(EtcdOps.text(fence))));
        });
        return views;
    }

    private static TreeMap<Integer, KeyValue> bySlot(List<KeyValue> pairs) {
        TreeMap<Integer, KeyValue> bySlot = new TreeMap<>();
        pairs.forEach(pair -> bySlot.put(EtcdSlotKeys.workerId(pair.getKey().toStringUtf8()), pair));
        return bySlot;
    }

    /** A slot's latest claim. {@code since} is by the claimant's clock: etcd tells nobody its own. */
    private record Latest(String requestId, String owner, Instant since, Instant floor) {
        static Latest of(KeyValue slot) {
            String[] lines = EtcdOps.text(slot).split("\n", -1);
            return new Latest(lines[0], lines[1], Instant.parse(lines[2]), Instant.parse(lines[3]));
        }

        String text() {
            return requestId + "\n" + owner + "\n" + since + "\n" + floor;
        }
    }
}
