package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.WorkerIdTakenException;
import dev.tenon.id.WorkerIdsExhaustedException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The slots of one group in five keys of Redis that never expire; each call is one script and one round trip.
 *
 * <p>The incarnation of the store is what {@code INFO} tells: {@code run_id}, another one after each start of the
 * process, and {@code master_replid}, another one after each promotion of a replica. The scripts ask for it where the
 * keys are, so it is that of the master at hand, in a cluster and behind Sentinels too. Where {@code INFO} is refused
 * (an ACL without it, a proxy, a server that is no Redis) the incarnation that the group has noted is taken for the
 * present one: then only a group that is gone is known to be forgotten, not one of an older copy.
 */
final class RedisWorkerIdSource implements WorkerIdSource {
    private static final System.Logger LOG = System.getLogger(RedisWorkerIdSource.class.getName());
    private static final String INCARNATION_UNKNOWN = "unknown";

    private final RedisLink link;
    private final Scripts scripts;
    private final String group;
    private final List<String> keys;

    RedisWorkerIdSource(RedisLink link, Scripts scripts, String keyPrefix, String group) {
        this.link = link;
        this.scripts = scripts;
        this.group = Names.requireValid("worker group", group);
        // One hash tag for all five, or, where the group's name ends the tag early, one beginning of it: one slot.
        String tag = "{" + keyPrefix + ":workers:" + group + "}:";
        this.keys = List.of(tag + "group", tag + "slots", tag + "leases", tag + "free", tag + "requests");
    }

    /** The scripts of every group; see {@code worker-open.lua} for what they have in common. */
    record Scripts(RedisScript claim, RedisScript renew, RedisScript release, RedisScript census) {
        /** @param clock resource with the clock: {@code clock}, but in tests */
        static Scripts onClock(String clock) {
            return new Scripts(
                    RedisScript.of(clock, "worker-open", "worker-claim"),
                    RedisScript.of(clock, "worker-open", "worker-renew"),
                    RedisScript.of(clock, "worker-open", "worker-release"),
                    RedisScript.of(clock, "worker-open", "worker-census"));
        }

        List<RedisScript> all() {
            return List.of(claim, renew, release, census);
        }
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        // What is kept may have been used up to now: rounded up, that includes it.
        long now =
                claim.kept().isPresent() ? millisUp(claim.now()) : claim.now().toEpochMilli();
        // The fence is stored in milliseconds, rounded up: what is cut off now is added to the reserve.
        long reserve = millisUp(claim.now().plus(claim.reserve())) - now;
        List<Object> reply = run(
                scripts.claim,
                claim.requestId(),
                claim.owner(),
                claim.layout(),
                String.valueOf(claim.capacity()),
                String.valueOf(RedisLockReplies.micros(claim.lease())),
                String.valueOf(now),
                String.valueOf(reserve),
                claim.wanted().isPresent() ? String.valueOf(claim.wanted().getAsInt()) : "",
                claim.kept().map(kept -> String.valueOf(kept.workerId())).orElse(""),
                claim.kept().map(kept -> String.valueOf(kept.claim())).orElse(""),
                claim.newStore() ? "1" : "");
        return switch ((String) reply.get(0)) {
            case "CLAIMED" -> claimed(reply);
            case "UNSETTLED" ->
                throw WorkerIdsForgottenException.ofGroup(group, Duration.of(number(reply.get(1)), ChronoUnit.MICROS));
            case "OVER" ->
                throw new WorkerIdTakenException("A worker ID of group \"" + group
                        + "\" that was to be kept was given up or is another's: " + claim.kept());
            case "CONFLICT" ->
                throw new DefinitionConflictException("Worker group " + group + " has layout "
                        + reply.get(1) + " and " + reply.get(2) + " slots, not layout " + claim.layout() + " and "
                        + claim.capacity());
            case "TAKEN" ->
                throw new WorkerIdTakenException(group, holders(reply).get(0));
            default -> throw new WorkerIdsExhaustedException(group, claim.capacity(), holders(reply));
        };
    }

    private WorkerSlot claimed(List<Object> reply) {
        if (reply.get(5).equals(INCARNATION_UNKNOWN)) {
            LOG.log(
                    Level.WARNING,
                    "Redis does not let its user ask for INFO. So nobody notices if it is restarted with older data, and worker"
                            + " IDs of group {0} that it then has forgotten may be given again while they are in use: allow +info",
                    group);
        }
        return new WorkerSlot(
                Math.toIntExact(number(reply.get(1))),
                number(reply.get(2)),
                Instant.ofEpochMilli(number(reply.get(3))),
                Instant.ofEpochMilli(number(reply.get(4))));
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        List<Object> reply = run(
                scripts.renew,
                String.valueOf(slot.workerId()),
                String.valueOf(slot.claim()),
                String.valueOf(RedisLockReplies.micros(WorkerClaim.requireLease(lease))),
                String.valueOf(millisUp(fence)));
        return reply.get(0).equals("EXTENDED");
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        run(
                scripts.release,
                String.valueOf(slot.workerId()),
                String.valueOf(slot.claim()),
                String.valueOf(millisUp(lastUsed)));
    }

    @Override
    public List<WorkerSlotView> census() {
        List<Object> reply = run(scripts.census);
        long now = number(reply.get(0));
        Map<Object, String> ends = new HashMap<>();
        List<?> leases = (List<?>) reply.get(2);
        for (int i = 0; i + 1 < leases.size(); i += 2) {
            ends.put(leases.get(i), (String) leases.get(i + 1));
        }
        List<WorkerSlotView> views = new ArrayList<>();
        List<?> slots = (List<?>) reply.get(1);
        for (int i = 0; i + 1 < slots.size(); i += 2) {
            views.add(view(slots.get(i), ends.getOrDefault(slots.get(i), "0"), slots.get(i + 1), now));
        }
        views.sort(Comparator.comparingInt(WorkerSlotView::workerId));
        return views;
    }

    private List<Object> run(RedisScript script, String... arguments) {
        return RedisLink.await(link.runDurably(new RedisCall(script, keys, List.of(arguments))));
    }

    /** The slots in a refusal. */
    private static List<WorkerSlotView> holders(List<?> refusal) {
        long now = number(refusal.get(1));
        List<WorkerSlotView> views = new ArrayList<>();
        for (Object holder : (List<?>) refusal.get(2)) {
            List<?> fields = (List<?>) holder;
            views.add(view(fields.get(0), (String) fields.get(1), fields.get(2), now));
        }
        return views;
    }

    private static WorkerSlotView view(Object id, String leaseEnd, Object slot, long now) {
        String[] line = ((String) slot).split("\n");
        long left = Math.max(0, (long) Double.parseDouble(leaseEnd) - now);
        return new WorkerSlotView(
                Math.toIntExact(number(id)),
                line[2],
                Instant.EPOCH.plus(number(line[3]), ChronoUnit.MICROS),
                Duration.of(left, ChronoUnit.MICROS),
                Instant.ofEpochMilli(number(line[5])));
    }

    private static long millisUp(Instant instant) {
        long millis = instant.toEpochMilli();
        return Instant.ofEpochMilli(millis).isBefore(instant) ? millis + 1 : millis;
    }

    private static long number(Object digits) {
        return Long.parseLong((String) digits);
    }
}
