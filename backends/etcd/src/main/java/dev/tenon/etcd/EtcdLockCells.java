package dev.tenon.etcd;

import dev.tenon.BackendUnavailableException;
import dev.tenon.lock.spi.cell.Cell;
import dev.tenon.lock.spi.cell.CellEvents;
import dev.tenon.lock.spi.cell.LockCells;
import dev.tenon.lock.spi.cell.Mail;
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
 * Cells as keys of etcd ({@link EtcdLockKeys}): a write is one transaction that compares their revisions, and reads them if one
 * is another. A process is present while a key that goes with its lease is there. Its mail is another such key, which every
 * sender overwrites: the process watches it, and a watch shows every value that a key has had. Thread-safe.
 */
final class EtcdLockCells implements LockCells {
    private static final Compare.CompareResult GREATER = Compare.CompareResult.GREATER;
    private static final int MAIL_IN_A_ROW_MAX = 20;
    private static final int MAIL_IN_A_GROUP = 14;
    private static final int KEPT_ALIVE_ATTEMPTS = 3;

    private final EtcdLink link;
    private final EtcdLockKeys keys;
    private final EtcdLockWatch watch;
    private volatile long lease;

    EtcdLockCells(EtcdLink link, String keyPrefix) {
        this.link = link;
        this.keys = new EtcdLockKeys(keyPrefix);
        this.watch = new EtcdLockWatch(link, keys);
    }

    @Override
    public List<Cell> read(List<String> names) {
        RequestOp[] gets = names.stream().map(n -> EtcdOps.get(keys.cell(n))).toArray(RequestOp[]::new);
        TxnResponse answer = link.call(EtcdOps.READ, EtcdOps.all(gets), link.deadline());
        return cells(names, answer);
    }

    @Override
    public Written write(List<Change> changes, List<Mail> mail) {
        TxnRequest.Builder write = TxnRequest.newBuilder();
        for (Change change : changes) {
            String key = keys.cell(change.seen().name());
            write.addCompare(EtcdOps.written(key, change.seen().version()));
            write.addSuccess(change.next().map(text -> EtcdOps.put(key, text)).orElseGet(() -> EtcdOps.delete(key)));
            write.addFailure(EtcdOps.get(key));
        }
        List<RequestOp> letters = letters(changes, mail);
        if (letters.size() > MAIL_IN_A_ROW_MAX) {
            // etcd takes 128 operations unless it was told otherwise, and in a nested transaction what those around it
            // leave: so
            // 100 cells go with 182 letters, and one with 1 500.
            for (int from = 0; from < letters.size(); from += MAIL_IN_A_GROUP) {
                write.addSuccess(EtcdOps.nested(TxnRequest.newBuilder()
                        .addAllSuccess(letters.subList(from, Math.min(letters.size(), from + MAIL_IN_A_GROUP)))
                        .build()));
            }
        } else {
            write.addAllSuccess(letters);
        }
        TxnResponse answer = link.call(EtcdOps.WRITE, write.build(), link.deadline());
        if (!answer.getSucceeded()) {
            List<String> names = changes.stream().map(c -> c.seen().name()).toList();
            return new Written(false, cells(names, answer));
        }
        long revision = answer.getHeader().getRevision();
        return new Written(true, changes.stream().map(c -> written(c, revision)).toList());
    }

    @Override
    public List<Cell> page(String prefix, String after, int limit) {
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
                .map(pair -> cell(keys.name(pair.getKey()), pair))
                .toList();
    }

    @Override
    public Duration enter(String process, Duration ttl, CellEvents events) {
        Deadline deadline = link.deadline();
        LeaseGrantRequest request = LeaseGrantRequest.newBuilder()
                .setTTL(EtcdSlotLeases.seconds(ttl))
                .build();
        var granted = link.call(EtcdSlotLeases.GRANT, request, deadline);
        TxnResponse answer = link.call(
                EtcdOps.WRITE,
                EtcdOps.all(
                        EtcdOps.put(keys.process(process), "", granted.getID()),
                        EtcdOps.put(keys.mail(process), "", granted.getID())),
                deadline);
        lease = granted.getID();
        watch.begin(process, events, answer.getHeader().getRevision() + 1);
        return Duration.ofSeconds(granted.getTTL());
    }

    /**
     * Etcd's leader extends a lease without asking the others, so one that was deposed and does not know it yet may promise what
     * its successor does not keep. The read behind it does ask them: if its term is that of the promise, then there was no
     * successor before the promise, and a later one counts the lease anew from its start.
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
        for (int from = 0; from < all.size(); from += CELLS_MAX) {
            List<String> some = all.subList(from, Math.min(all.size(), from + CELLS_MAX));
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
    private List<RequestOp> letters(List<Change> changes, List<Mail> mail) {
        Map<String, List<Mail>> byProcess = new LinkedHashMap<>();
        mail.forEach(m ->
                byProcess.computeIfAbsent(m.process(), any -> new ArrayList<>()).add(m));
        List<RequestOp> letters = new ArrayList<>();
        byProcess.forEach((process, all) -> {
            PutRequest put = PutRequest.newBuilder()
                    .setKey(EtcdOps.bytes(keys.mail(process)))
                    .setValue(EtcdOps.bytes(EtcdLetter.text(all, changes, byProcess.size())))
                    .setIgnoreLease(true)
                    .build();
            Compare present = EtcdOps.created(keys.mail(process), 0).toBuilder()
                    .setResult(GREATER)
                    .build();
            letters.add(EtcdOps.nested(TxnRequest.newBuilder()
                    .addCompare(present)
                    .addSuccess(RequestOp.newBuilder().setRequestPut(put))
                    .build()));
        });
        return letters;
    }

    private static List<Cell> cells(List<String> names, TxnResponse answer) {
        List<Cell> cells = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            cells.add(EtcdOps.foundOne(answer, i).map(pair -> cell(name, pair)).orElseGet(() -> Cell.absent(name)));
        }
        return cells;
    }

    private static Cell cell(String name, KeyValue pair) {
        return new Cell(
                name,
                Optional.of(EtcdOps.text(pair)),
                pair.getModRevision(),
                pair.getCreateRevision(),
                pair.getModRevision());
    }

    private static Cell written(Change change, long revision) {
        Cell seen = change.seen();
        long created = seen.version() == 0 ? revision : seen.created();
        return change.next()
                .map(text -> new Cell(seen.name(), Optional.of(text), revision, created, revision))
                .orElseGet(() -> Cell.absent(seen.name()));
    }
}
