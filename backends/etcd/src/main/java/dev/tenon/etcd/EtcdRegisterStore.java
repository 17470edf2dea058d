package dev.tenon.etcd;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterEvents;
import dev.tenon.lock.engine.RegisterStore;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseKeepAliveRequest;
import io.etcd.jetcd.api.LeaseKeepAliveResponse;
import io.etcd.jetcd.api.LeaseRevokeRequest;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Registers as keys of etcd ({@link EtcdLockKeys}): a write is one transaction that compares their revisions, and reads
 * them if one is another. A process is present while a key that goes with its lease is there. Its notices is another
 * such key, which every sender overwrites: the process watches it, and a watch shows every value that a key has had.
 * Thread-safe.
 */
final class EtcdRegisterStore implements RegisterStore {
    private static final Compare.CompareResult GREATER = Compare.CompareResult.GREATER;
    private static final int PUTS_IN_A_ROW_MAX = 20;
    private static final int PUTS_IN_A_GROUP = 14;
    private static final int KEPT_ALIVE_ATTEMPTS = 3;

    private final EtcdLink link;
    private final EtcdLockKeys keys;
    private final EtcdLockWatch watch;
    private volatile long lease;

    EtcdRegisterStore(EtcdLink link, String keyPrefix) {
        this.link = link;
        this.keys = new EtcdLockKeys(keyPrefix);
        this.watch = new EtcdLockWatch(link, keys);
    }

    @Override
    public List<Register> read(List<String> names) {
        RequestOp[] gets =
                names.stream().map(n -> EtcdOps.get(keys.register(n))).toArray(RequestOp[]::new);
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(gets), link.deadline());
        return registers(names, answer);
    }

    @Override
    public Written write(List<Change> changes, List<Notice> notices) {
        TxnRequest.Builder write = TxnRequest.newBuilder();
        for (Change change : changes) {
            String key = keys.register(change.seen().name());
            write.addCompare(EtcdOps.written(key, change.seen().version()));
            write.addSuccess(change.next().map(text -> EtcdOps.put(key, text)).orElseGet(() -> EtcdOps.delete(key)));
            write.addFailure(EtcdOps.get(key));
        }
        List<RequestOp> puts = puts(changes, notices);
        if (puts.size() > PUTS_IN_A_ROW_MAX) {
            // etcd takes 128 operations unless it was told otherwise, and in a nested transaction what those around it
            // leave: so
            // 100 registers go with 182 puts, and one with 1 500.
            for (int from = 0; from < puts.size(); from += PUTS_IN_A_GROUP) {
                write.addSuccess(EtcdOps.nested(TxnRequest.newBuilder()
                        .addAllSuccess(puts.subList(from, Math.min(puts.size(), from + PUTS_IN_A_GROUP)))
                        .build()));
            }
        } else {
            write.addAllSuccess(puts);
        }
        TxnResponse answer = link.call(EtcdOps.WRITE, write.build(), link.deadline());
        if (!answer.getSucceeded()) {
            List<String> names = changes.stream().map(c -> c.seen().name()).toList();
            return new Written(false, registers(names, answer));
        }
        long revision = answer.getHeader().getRevision();
        return new Written(true, changes.stream().map(c -> written(c, revision)).toList());
    }

    @Override
    public List<Register> page(String prefix, String after, int limit) {
        RangeRequest range = RangeRequest.newBuilder()
                .setKey(keys.from(prefix, after))
                .setRangeEnd(keys.end(prefix))
                .setLimit(limit)
                .build();
        TxnResponse answer = link.call(
                EtcdOps.READ,
                EtcdOps.all(RequestOp.newBuilder().setRequestRange(range).build()),
                link.deadline());
        return EtcdOps.found(answer, 0).stream()
                .map(pair -> register(keys.name(pair.getKey()), pair))
                .toList();
    }

    @Override
    public Duration enter(String process, Duration ttl, RegisterEvents events) {
        Deadline deadline = link.deadline();
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder()
                .setTTL(EtcdSlotLeases.seconds(ttl))
                .build();
        var granted = link.call(EtcdSlotLeases.GRANT, request, deadline);
        TxnResponse answer = link.call(
                EtcdOps.WRITE,
                EtcdOps.all(
                        EtcdOps.put(keys.process(process), "", granted.getID()),
                        EtcdOps.put(keys.notices(process), "", granted.getID())),
                deadline);
        lease = granted.getID();
        watch.begin(process, events, answer.getHeader().getRevision() + 1);
        return Duration.ofSeconds(granted.getTTL());
    }

    /**
     * Etcd's leader extends a lease without asking the others, so one that was deposed and does not know it yet may
     * promise what its successor does not keep. The read behind it does ask them: if its term is that of the promise,
     * then there was no successor before the promise, and a later one counts the lease anew from its start.
     */
    @Override
    public Optional<Duration> keepAlive(String process) {
        Deadline deadline = link.deadline();
        long mine = lease;
        for (int attempt = 0; attempt < KEPT_ALIVE_ATTEMPTS; attempt++) {
            LeaseKeepAliveResponse kept = link.call(
                    EtcdSlotLeases.KEEP_ALIVE,
                    LeaseKeepAliveRequest.newBuilder().setID(mine).build(),
                    deadline);
            if (kept.getTTL() <= 0) {
                return Optional.empty();
            }
            TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(EtcdOps.get(keys.process(process))), deadline);
            boolean there = EtcdOps.foundOne(answer, 0)
                    .filter(key -> key.getLease() == mine)
                    .isPresent();
            if (!there) {
                return Optional.empty();
            }
            if (answer.getHeader().getRaftTerm() == kept.getHeader().getRaftTerm()) {
                return Optional.of(Duration.ofSeconds(kept.getTTL()));
            }
        }
        throw new BackendUnavailableException("etcd changed its leader " + KEPT_ALIVE_ATTEMPTS + " times");
    }

    @Override
    public void leave(String process) {
        LeaseRevokeRequest request =
                LeaseRevokeRequest.newBuilder().setID(lease).build();
        link.call(EtcdSlotLeases.REVOKE, request, link.deadline());
    }

    @Override
    public Set<String> gone(Set<String> processes) {
        Set<String> gone = new HashSet<>();
        List<String> all = List.copyOf(processes);
        for (int from = 0; from < all.size(); from += REGISTERS_MAX) {
            List<String> some = all.subList(from, Math.min(all.size(), from + REGISTERS_MAX));
            RequestOp[] gets =
                    some.stream().map(p -> EtcdOps.get(keys.process(p))).toArray(RequestOp[]::new);
            TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(gets), link.deadline());
            for (int i = 0; i < some.size(); i++) {
                if (EtcdOps.foundOne(answer, i).isEmpty()) {
                    gone.add(some.get(i));
                }
            }
        }
        return gone;
    }

    /** The link is the backend's, and stays open. */
    @Override
    public void close() {
        watch.close();
    }

    /** One put for each process, which only takes place while the process is present. */
    private List<RequestOp> puts(List<Change> changes, List<Notice> notices) {
        Map<String, List<Notice>> byProcess = new LinkedHashMap<>();
        notices.forEach(m ->
                byProcess.computeIfAbsent(m.process(), any -> new ArrayList<>()).add(m));
        List<RequestOp> puts = new ArrayList<>();
        byProcess.forEach((process, all) -> {
            PutRequest put = PutRequest.newBuilder()
                    .setKey(EtcdOps.bytes(keys.notices(process)))
                    .setValue(EtcdOps.bytes(EtcdNotices.text(all, changes, byProcess.size())))
                    .setIgnoreLease(true)
                    .build();
            Compare present = EtcdOps.created(keys.notices(process), 0).toBuilder()
                    .setResult(GREATER)
                    .build();
            puts.add(EtcdOps.nested(TxnRequest.newBuilder()
                    .addCompare(present)
                    .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                    .build()));
        });
        return puts;
    }

    private static List<Register> registers(List<String> names, TxnResponse answer) {
        List<Register> registers = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            registers.add(EtcdOps.foundOne(answer, i)
                    .map(pair -> register(name, pair))
                    .orElseGet(() -> Register.absent(name)));
        }
        return registers;
    }

    private static Register register(String name, KeyValue pair) {
        return new Register(
                name,
                Optional.of(EtcdOps.text(pair)),
                pair.getModRevision(),
                pair.getCreateRevision(),
                pair.getModRevision());
    }

    private static Register written(Change change, long revision) {
        Register seen = change.seen();
        long created = seen.version() == 0 ? revision : seen.created();
        return change.next()
                .map(text -> new Register(seen.name(), Optional.of(text), revision, created, revision))
                .orElseGet(() -> Register.absent(seen.name()));
    }
}
