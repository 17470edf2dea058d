package dev.tenon.etcd;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.StatusResponse;
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
import java.util.function.Supplier;

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
    private final EtcdSettling settling;

    EtcdWorkerIdSource(EtcdLink link, EtcdSlotKeys keys, Map<EtcdSlotLeases.Key, EtcdSlotLeases.Held> known) {
        this.link = link;
        this.keys = keys;
        this.leases = new EtcdSlotLeases(link, keys, known);
        this.settling = new EtcdSettling(link, keys, leases);
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        Claiming claiming = new Claiming(claim, link.deadline());
        try {
            for (int failed = 0; ; failed++) {
                Optional<WorkerSlot> slot = attempt(claiming);
                if (slot.isPresent()) {
                    return slot.get();
                }
                link.pause(failed, claiming.deadline);
            }
        } catch (OutcomeUnknownException e) {
            // If it happened, then the repeated request must find it.
            claiming.lease = 0;
            throw e;
        } finally {
            giveUpLease(claiming);
        }
    }

    /** A claim under way. */
    private static final class Claiming {
        private final WorkerClaim wish;
        private final Deadline deadline;
        /** The lease of etcd that is to hold the slot; 0: none yet, or it does. */
        private long lease;
        /** How many races for a slot were lost. */
        private int lost;

        Claiming(WorkerClaim wish, Deadline deadline) {
            this.wish = wish;
            this.deadline = deadline;
        }
    }

    private void giveUpLease(Claiming claiming) {
        if (claiming.lease != 0) {
            leases.giveUp(claiming.lease);
            claiming.lease = 0;
        }
    }

    /** Empty: what it was founded on is no longer so, or was noted only now. */
    private Optional<WorkerSlot> attempt(Claiming claiming) {
        WorkerClaim claim = claiming.wish;
        long seconds = EtcdSlotLeases.seconds(claim.lease());
        EtcdSlotChoice group = read(claim.requestId(), claiming.deadline);
        requireSame(group, claim);
        if (group.group().isEmpty()
                || !group.seen().inTermNoted()
                || group.seen().longestSeconds() < seconds) {
            settling.note(group, definition(claim), claim, mayBeForgotten(group, claim), claiming.deadline);
            return Optional.empty();
        }
        Optional<WorkerSlot> repeated = repeated(group, claim.requestId(), seconds);
        return repeated.isPresent() ? repeated : fresh(group, claiming);
    }

    private static boolean mayBeForgotten(EtcdSlotChoice group, WorkerClaim claim) {
        return group.group().isPresent() ? !group.seen().inTermNoted() : !claim.newStore();
    }

    private Optional<WorkerSlot> fresh(EtcdSlotChoice group, Claiming claiming) {
        WorkerClaim claim = claiming.wish;
        Deadline deadline = claiming.deadline;
        Duration left = settling.left(group.seen());
        if (claim.kept().isEmpty() && !left.isZero()) {
            throw WorkerIdsForgottenException.ofGroup(keys.groupName(), left);
        }
        OptionalInt chosen = claim.kept().isPresent()
                ? OptionalInt.of(claim.kept().get().workerId())
                : group.choose(claim, claiming.lost);
        if (chosen.isEmpty()) {
            throw refusal(claim);
        }
        int workerId = chosen.getAsInt();
        Supplier<Optional<StatusResponse>> status = settling.askStatus(deadline);
        Supplier<TxnResponse> slot = link.begin(EtcdOps.READ, EtcdOps.all(EtcdOps.get(keys.slot(workerId))), deadline);
        if (claiming.lease == 0) {
            claiming.lease = leases.grant(EtcdSlotLeases.seconds(claim.lease()), deadline);
        }
        EtcdSettling.Log log = EtcdSettling.log(group.seen(), status.get());
        if (log == EtcdSettling.Log.OTHER) {
            settling.note(group, definition(claim), claim, true, deadline);
        }
        if (log != EtcdSettling.Log.SAME) {
            return Optional.empty();
        }
        Chosen found = new Chosen(workerId, EtcdOps.foundOne(slot.get(), 0));
        return claim.kept().isPresent()
                ? keep(group, claiming, found, !left.isZero())
                : take(group, claiming, found, 0);
    }

    /** @param latest the slot's latest claim */
    private record Chosen(int workerId, Optional<KeyValue> latest) {}

    /**
     * The slot that the claimant says it has: as it is if that is known, or taken anew while etcd may have forgotten
     * it.
     */
    private Optional<WorkerSlot> keep(EtcdSlotChoice group, Claiming claiming, Chosen chosen, boolean unsettled) {
        WorkerClaim claim = claiming.wish;
        WorkerClaim.Kept kept = claim.kept().orElseThrow();
        Instant fence = EtcdSlotKeys.roundUp(claim.now().plus(claim.reserve()));
        Optional<WorkerSlot> known = leases.extend(
                        kept.workerId(), kept.claim(), EtcdSlotLeases.seconds(claim.lease()), fence)
                .map(extended -> slot(kept.workerId(), kept.claim(), extended));
        if (known.isPresent()) {
            return known;
        }
        if (!unsettled || number(group, chosen) > kept.claim()) {
            throw new WorkerIdTakenException("Worker ID " + kept.workerId() + " of group \"" + keys.groupName()
                    + "\" was given up or is another's: the claim " + kept.claim() + " is over");
        }
        return take(group, claiming, chosen, kept.claim());
    }

    /** The number of a slot's latest claim. */
    private static long number(EtcdSlotChoice group, Chosen chosen) {
        long latest = chosen.latest.map(Latest::of).map(Latest::number).orElse(0L);
        KeyValue holder = group.holders().get(chosen.workerId);
        return holder == null
                ? latest
                : Math.max(latest, EtcdSlotLeases.Held.of(holder).claim());
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        long seconds = EtcdSlotLeases.seconds(WorkerClaim.requireLease(lease));
        // In another term the holder says what it keeps: with that begins the time after which slots are given again.
        return leases.extend(slot.workerId(), slot.claim(), seconds, fence)
                .filter(extended -> extended.seen().inTermNoted())
                .isPresent();
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Instant used = slot.floor().isBefore(lastUsed) ? lastUsed : slot.floor();
        // Takes the key of the request along; until then that leads to a slot without its holder, that is nowhere.
        leases.end(slot.workerId(), slot.claim(), used).ifPresent(leases::giveUp);
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
                        EtcdOps.list(keys.fence(0), keys.end(keys.fence(0)), 0),
                        EtcdOps.get(keys.mark()),
                        EtcdOps.get(keys.settling())),
                deadline);
        Map<Integer, KeyValue> holders = bySlot(EtcdOps.found(answer, 2));
        TreeMap<Integer, String> fences = new TreeMap<>();
        bySlot(EtcdOps.found(answer, 3)).forEach((id, fence) -> fences.put(id, EtcdOps.text(fence)));
        return new EtcdSlotChoice(
                EtcdOps.foundOne(answer, 0).map(EtcdOps::text),
                EtcdOps.foundOne(answer, 1),
                holders,
                fences,
                new EtcdSettling.Seen(EtcdOps.foundOne(answer, 4), EtcdOps.foundOne(answer, 5), answer.getHeader()));
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
        long claim = EtcdSlotLeases.Held.of(holder.get()).claim();
        return leases.extend(workerId, claim, seconds, Instant.EPOCH).map(extended -> slot(workerId, claim, extended));
    }

    private static WorkerSlot slot(int workerId, long claim, EtcdSlotLeases.Extended extended) {
        return new WorkerSlot(
                workerId,
                claim,
                Latest.of(extended.slot().orElseThrow()).floor,
                EtcdSlotKeys.instant(EtcdOps.text(extended.fence().orElseThrow())));
    }

    /**
     * @param kept the number of the claim that is kept, of a slot that may still be another's; 0: a free slot is taken
     */
    private Optional<WorkerSlot> take(EtcdSlotChoice group, Claiming claiming, Chosen chosen, long kept) {
        WorkerClaim claim = claiming.wish;
        int workerId = chosen.workerId;
        Optional<String> before = Optional.ofNullable(group.fences().get(workerId));
        Instant now = claim.now();
        Instant used = before.map(EtcdSlotKeys::instant).orElse(Instant.EPOCH);
        Instant floor = kept > 0 && used.isBefore(now) ? EtcdSlotKeys.roundUp(now) : used;
        Instant fence = EtcdSlotKeys.roundUp((floor.isBefore(now) ? now : floor).plus(claim.reserve()));
        // By the clock, so that an etcd that forgot gives none that it gave before; above the revisions of older
        // versions.
        long least = Math.max(number(group, chosen), kept);
        least = Math.max(least, group.seen().header().getRevision()) + 1;
        long number = Math.max(least, now.toEpochMilli());
        String held = EtcdSlotLeases.Held.text(EtcdSlotLeases.seconds(claim.lease()), claim.requestId(), number);
        Latest latest = new Latest(claim.requestId(), claim.owner(), now.truncatedTo(ChronoUnit.MILLIS), floor, number);
        Optional<EtcdSlotLeases.Held> other =
                Optional.ofNullable(group.holders().get(workerId)).map(EtcdSlotLeases.Held::of);
        String holder = keys.holder(workerId);
        TxnRequest take = TxnRequest.newBuilder()
                .addAllCompare(founded(group, claim, chosen))
                .addAllCompare(
                        other.map(old -> old.unchanged(holder)).orElseGet(() -> List.of(EtcdOps.created(holder, 0))))
                .addSuccess(EtcdOps.put(keys.slot(workerId), latest.text()))
                .addSuccess(EtcdOps.put(keys.fence(workerId), EtcdSlotKeys.text(fence)))
                .addSuccess(EtcdOps.put(holder, held, claiming.lease))
                .addSuccess(EtcdOps.put(keys.request(claim.requestId()), String.valueOf(workerId), claiming.lease))
                .build();
        TxnResponse answer = link.call(EtcdOps.WRITE, take, claiming.deadline);
        if (!answer.getSucceeded()) {
            claiming.lost++;
            return Optional.empty();
        }
        if (!new EtcdSettling.Seen(group.seen().mark(), Optional.empty(), answer.getHeader()).inTermNoted()) {
            giveUpLease(claiming); // it may be another etcd than was read: what goes with the lease is given up again
            return Optional.empty();
        }
        other.map(EtcdSlotLeases.Held::lease).ifPresent(leases::giveUp);
        long written = answer.getHeader().getRevision();
        leases.remember(workerId, number, new EtcdSlotLeases.Held(claiming.lease, held, number, written));
        claiming.lease = 0;
        return Optional.of(new WorkerSlot(workerId, number, floor, fence));
    }

    /** That what was read of the group and of the slot still is so. */
    private List<Compare> founded(EtcdSlotChoice group, WorkerClaim claim, Chosen chosen) {
        return List.of(
                EtcdOps.unchanged(keys.group(), group.group()),
                EtcdOps.unchanged(keys.mark(), group.seen().mark().map(EtcdOps::text)),
                EtcdOps.written(
                        keys.settling(),
                        group.seen().settling().map(KeyValue::getModRevision).orElse(0L)),
                EtcdOps.written(
                        keys.request(claim.requestId()),
                        group.request().map(KeyValue::getModRevision).orElse(0L)),
                EtcdOps.unchanged(keys.slot(chosen.workerId), chosen.latest.map(EtcdOps::text)),
                EtcdOps.unchanged(
                        keys.fence(chosen.workerId),
                        Optional.ofNullable(group.fences().get(chosen.workerId))));
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

    /**
     * A slot's latest claim. {@code since} is by the claimant's clock: etcd tells nobody its own. What older versions
     * wrote has no number: 0.
     */
    private record Latest(String requestId, String owner, Instant since, Instant floor, long number) {
        static Latest of(KeyValue slot) {
            String[] lines = EtcdOps.text(slot).split("\n", -1);
            return new Latest(
                    lines[0],
                    lines[1],
                    Instant.parse(lines[2]),
                    Instant.parse(lines[3]),
                    lines.length > 4 ? Long.parseLong(lines[4]) : 0);
        }

        String text() {
            return requestId + "\n" + owner + "\n" + since + "\n" + floor + "\n" + number;
        }
    }
}
