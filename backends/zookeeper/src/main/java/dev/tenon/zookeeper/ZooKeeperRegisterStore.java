package dev.tenon.zookeeper;

import dev.tenon.BackendUnavailableException;
import dev.tenon.Names;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.lock.engine.Notice;
import dev.tenon.lock.engine.Register;
import dev.tenon.lock.engine.RegisterEvents;
import dev.tenon.lock.engine.RegisterStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * The registers of locks as nodes. A write is one {@code multi}, with a read of the same nodes behind it, so that
 * whoever is refused has what is there now in the same round trip.
 *
 * <p>A node that is deleted and made anew counts its versions from 0 again, and a version that somebody remembers would
 * then stand for another content. So each node has one child, named after a random number, which is made, asked for and
 * deleted together with it.
 *
 * <p>A notice is a node below that of its receiver, made and deleted in the step that it belongs to: the receiver's
 * watch tells it the path, in which all is said, and nothing stays behind.
 */
final class ZooKeeperRegisterStore implements RegisterStore {
    /** What one request may amount to: ZooKeeper breaks off a connection over which a megabyte comes. */
    private static final int BYTES_MAX = 900_000;

    /** How many names of a walk are kept: about those of the pages that are asked for at a time. */
    private static final int NAMES_AHEAD_MAX = 2_000;

    private static final byte[] NOTHING = {};

    private final SecureRandom random = new SecureRandom();
    private final ZooKeeperLink link;
    private final ZooKeeperPaths paths;
    private final ZooKeeperPresence presence;
    private final int countMax;
    private volatile Ahead ahead = new Ahead("", List.of());

    ZooKeeperRegisterStore(ZooKeeperLink link) {
        this(link, ZooKeeperRegister.COUNT_MAX);
    }

    /** @param countMax how often a node is changed before another takes its place */
    ZooKeeperRegisterStore(ZooKeeperLink link, int countMax) {
        this.link = link;
        this.paths = link.paths();
        this.presence = new ZooKeeperPresence(link);
        this.countMax = countMax;
    }

    @Override
    public List<Register> read(List<String> names) {
        ZooKeeperCall call = link.beginOneOfMany();
        call.sync(paths.lockRegisters());
        return read(call, names);
    }

    private List<Register> read(ZooKeeperCall call, List<String> names) {
        List<CompletableFuture<Optional<ZooKeeperCall.Node>>> answers = new ArrayList<>(names.size());
        for (String name : names) {
            answers.add(call.read(paths.lockRegister(name)));
        }
        return registers(names, call.awaitReads(answers));
    }

    private List<Register> registers(List<String> names, List<Optional<ZooKeeperCall.Node>> nodes) {
        List<Register> registers = new ArrayList<>(names.size());
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            registers.add(nodes.get(i)
                    .map(node ->
                            ZooKeeperRegister.of(paths.lockRegister(name), node).register(name))
                    .orElseGet(() -> Register.absent(name)));
        }
        return registers;
    }

    @Override
    public Written write(List<Change> changes, List<Notice> notices) {
        ZooKeeperCall call = link.beginOneOfMany();
        Plan plan = new Plan(call);
        changes.forEach(plan::add);
        plan.addNotices(notices);
        plan.requireSize();
        CompletableFuture<ZooKeeperCall.Attempt> attempt = call.attempt(plan.ops);
        List<CompletableFuture<Optional<ZooKeeperCall.Node>>> behind = new ArrayList<>(changes.size());
        for (Change change : changes) {
            behind.add(call.read(paths.lockRegister(change.seen().name())));
        }
        ZooKeeperCall.Attempt made = call.awaitWrite(attempt);
        if (made.done()) {
            List<Optional<ZooKeeperCall.Node>> nodes = plan.createsSome() ? call.awaitWrites(behind) : List.of();
            return new Written(true, plan.written(made.results(), nodes));
        }
        plan.requireBase(made);
        List<String> names =
                changes.stream().map(change -> change.seen().name()).toList();
        return new Written(false, registers(names, call.awaitReads(behind)));
    }

    @Override
    public List<Register> page(String prefix, String after, int limit) {
        ZooKeeperCall call = link.beginOneOfMany();
        call.sync(paths.lockRegisters());
        return page(call, names(call, prefix, after), limit).registers();
    }

    /** As names are in no order in ZooKeeper, those of the pages to come are kept: or each page would list all. */
    @Override
    public List<Register> walk(String after, int limit) {
        ZooKeeperCall call = link.beginOneOfMany();
        call.sync(paths.lockRegisters());
        Page page = new Page(List.of(), List.of());
        Ahead known = ahead;
        if (known.after().equals(after)) {
            page = page(call, known.names(), limit);
        }
        if (page.registers().size() < limit) {
            page = page(call, names(call, "", after), limit);
        }
        List<Register> registers = page.registers();
        ahead = new Ahead(
                registers.isEmpty() ? "" : registers.get(registers.size() - 1).name(), page.rest());
        return registers;
    }

    /** @param rest the next names behind the page, or some of them */
    private record Page(List<Register> registers, List<String> rest) {}

    /** @param names the next ones behind this one as they were a while ago, or some of them */
    private record Ahead(String after, List<String> names) {}

    private List<String> names(ZooKeeperCall call, String prefix, String after) {
        List<CompletableFuture<List<String>>> buckets =
                paths.lockBuckets().stream().map(call::children).toList();
        return call.awaitReads(buckets).stream()
                .flatMap(List::stream)
                .map(ZooKeeperPaths::name)
                .filter(name -> name.startsWith(prefix) && Names.ORDER.compare(name, after) > 0)
                .sorted(Names.ORDER)
                .toList();
    }

    private Page page(ZooKeeperCall call, List<String> names, int limit) {
        List<Register> page = new ArrayList<>();
        int from = 0;
        // Some may be gone by the time that they are read.
        while (from < names.size() && page.size() < limit) {
            int to = Math.min(names.size(), from + limit - page.size());
            for (Register register : read(call, names.subList(from, to))) {
                if (register.text().isPresent()) {
                    page.add(register);
                }
            }
            from = to;
        }
        return new Page(page, List.copyOf(names.subList(from, Math.min(names.size(), from + NAMES_AHEAD_MAX))));
    }

    @Override
    public Duration enter(String process, Duration ttl, RegisterEvents events) {
        return presence.enter(process, events);
    }

    @Override
    public Optional<Duration> keepAlive(String process) {
        return presence.keepAlive(process);
    }

    @Override
    public void leave(String process) {
        presence.leave(process);
    }

    @Override
    public Set<String> gone(Set<String> processes) {
        return presence.gone(processes);
    }

    @Override
    public void close() {
        presence.close();
    }

    /** The parts of one write. */
    private final class Plan {
        private final ZooKeeperCall call;
        private final List<Op> ops = new ArrayList<>();
        private final List<Part> parts = new ArrayList<>();
        private long bytes;

        /**
         * A change as it will be.
         *
         * @param next the node's new content; null: it is deleted
         * @param set which of the operations changes the node; -1: it is made or deleted
         */
        private record Part(
                Change change, String path, @Nullable ZooKeeperRegister next, int set) {}

        Plan(ZooKeeperCall call) {
            this.call = call;
        }

        void add(Change change) {
            Register seen = change.seen();
            String path = paths.lockRegister(seen.name());
            long guard = ZooKeeperRegister.guard(seen.version());
            int count = ZooKeeperRegister.count(seen.version());
            Optional<String> next = change.next();
            boolean exists = seen.text().isPresent();
            boolean set = exists && next.isPresent() && count < countMax;
            if (set) {
                ops.add(Op.check(guardPath(path, guard), ZooKeeperCall.ANY_VERSION));
            } else if (exists) {
                ops.add(Op.delete(guardPath(path, guard), ZooKeeperCall.ANY_VERSION));
                ops.add(Op.delete(path, count));
            }
            if (next.isEmpty()) {
                parts.add(new Part(change, path, null, -1));
                return;
            }
            long itsGuard = set ? guard : 1 + random.nextLong(ZooKeeperRegister.GUARD_MAX);
            ZooKeeperRegister register = new ZooKeeperRegister(itsGuard, seen.created(), next.get());
            byte[] data = register.data();
            bytes += data.length;
            parts.add(new Part(change, path, register, set ? ops.size() : -1));
            if (set) {
                ops.add(Op.setData(path, data, count));
            } else {
                ops.add(call.creation(path, data));
                ops.add(call.creation(guardPath(path, itsGuard), NOTHING));
            }
        }

        void addNotices(List<Notice> notices) {
            Map<String, Set<String>> receivers = new LinkedHashMap<>();
            for (Notice each : notices) {
                receivers
                        .computeIfAbsent(paths.lockNotices(each.process()), receiver -> new LinkedHashSet<>())
                        .add(paths.lockNotice(each.process(), each.name(), each.text()));
            }
            receivers.forEach((receiver, all) -> {
                ops.add(call.creation(receiver, NOTHING));
                all.forEach(notice -> ops.add(call.creation(notice, NOTHING)));
                all.forEach(notice -> ops.add(Op.delete(notice, ZooKeeperCall.ANY_VERSION)));
                ops.add(Op.delete(receiver, ZooKeeperCall.ANY_VERSION));
            });
        }

        void requireSize() {
            for (Op op : ops) {
                bytes += op.getPath().length();
            }
            if (bytes > BYTES_MAX) {
                throw new BackendUnavailableException("So many wait for \""
                        + parts.get(0).change().seen().name() + "\" that it would take " + bytes
                        + " bytes, and one request to ZooKeeper may have no more than " + BYTES_MAX);
            }
        }

        boolean createsSome() {
            return parts.stream().anyMatch(part -> part.next() != null && part.set() < 0);
        }

        /** The only nodes that are never deleted are those below which all others are made. */
        void requireBase(ZooKeeperCall.Attempt attempt) {
            Op refused = ops.get(attempt.refused());
            if (attempt.refusal() == Code.NONODE && refused.getType() == ZooDefs.OpCode.create) {
                throw ZooKeeperErrors.dataLost(paths.locks(), KeeperException.create(Code.NONODE, refused.getPath()));
            }
        }

        /** @param nodes what was there right behind the write, of all changes, if some of them were creations */
        List<Register> written(List<OpResult> results, List<Optional<ZooKeeperCall.Node>> nodes) {
            List<Register> registers = new ArrayList<>(parts.size());
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                String name = part.change().seen().name();
                ZooKeeperRegister next = part.next();
                if (next == null) {
                    registers.add(Register.absent(name));
                } else if (part.set() >= 0 && results.get(part.set()) instanceof OpResult.SetDataResult set) {
                    registers.add(next.register(name, set.getStat()));
                } else {
                    registers.add(next.register(name, asMade(part.path(), next, nodes.get(i))));
                }
            }
            return registers;
        }

        private Stat asMade(String path, ZooKeeperRegister made, Optional<ZooKeeperCall.Node> now) {
            Stat stat = now.filter(node -> ZooKeeperRegister.of(path, node).guard() == made.guard())
                    .map(ZooKeeperCall.Node::stat)
                    .orElseThrow(() -> new OutcomeUnknownException(
                            path + " was made in ZooKeeper, but others have deleted it already"));
            Stat first = new Stat();
            first.setCzxid(stat.getCzxid());
            first.setMzxid(stat.getCzxid());
            return first;
        }

        private static String guardPath(String path, long guard) {
            return path + "/" + Long.toHexString(guard);
        }
    }
}
