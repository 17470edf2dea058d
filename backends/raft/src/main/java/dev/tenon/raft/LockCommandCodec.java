package dev.tenon.raft;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.raft.LockCommand.AcquireLock;
import dev.tenon.raft.LockCommand.AcquireLocks;
import dev.tenon.raft.LockCommand.AdvanceTime;
import dev.tenon.raft.LockCommand.CancelWait;
import dev.tenon.raft.LockCommand.CloseSession;
import dev.tenon.raft.LockCommand.EvictLock;
import dev.tenon.raft.LockCommand.FindSession;
import dev.tenon.raft.LockCommand.InspectLock;
import dev.tenon.raft.LockCommand.KeepAlive;
import dev.tenon.raft.LockCommand.KeepAllAlive;
import dev.tenon.raft.LockCommand.ListLocks;
import dev.tenon.raft.LockCommand.OpenSession;
import dev.tenon.raft.LockCommand.ReleaseLocks;
import dev.tenon.raft.LockCommand.RenewLocks;
import dev.tenon.raft.LockCommand.RevokeLock;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The binary form of {@link LockCommand}s: a tag and the fields in the order of their record. A tag is never given
 * another meaning, as old logs are read by new code.
 */
final class LockCommandCodec {
    private static final int ADVANCE_TIME = 1;
    private static final int OPEN_SESSION = 2;
    private static final int FIND_SESSION = 3;
    private static final int KEEP_ALIVE = 4;
    private static final int CLOSE_SESSION = 5;
    private static final int ACQUIRE = 6;
    private static final int RELEASE = 7;
    private static final int RENEW = 8;
    private static final int CANCEL = 9;
    private static final int INSPECT = 10;
    private static final int LIST = 11;
    private static final int EVICT = 12;
    private static final int ACQUIRE_ON_TERMS = 13;
    private static final int ACQUIRE_ALL = 14;
    private static final int REVOKE = 15;
    private static final int KEEP_ALL_ALIVE = 16;

    /** By the number that stands for it in a log: the order can never change. */
    private static final List<LockMode.Kind> MODES =
            List.of(LockMode.Kind.EXCLUSIVE, LockMode.Kind.SHARED, LockMode.Kind.UPDATE, LockMode.Kind.PERMITS);

    /** The greatest tag of a lock command; greater ones belong to {@link IdCommandCodec}. */
    static final int TAG_MAX = 31;

    private LockCommandCodec() {}

    static void write(LockCommand<?> command, BinaryWriter out) {
        if (command instanceof AcquireLock acquire) {
            boolean plain = acquire.request().terms().equals(Terms.EXCLUSIVE);
            out.writeByte(plain ? ACQUIRE : ACQUIRE_ON_TERMS);
            writeAcquire(acquire.request(), out);
            if (!plain) {
                writeTerms(acquire.request().terms(), out);
            }
        } else if (command instanceof AcquireLocks all) {
            out.writeByte(ACQUIRE_ALL);
            out.writeCount(all.requests().size());
            for (Acquire one : all.requests()) {
                writeAcquire(one, out);
                writeTerms(one.terms(), out);
            }
        } else if (command instanceof ReleaseLocks release) {
            out.writeByte(RELEASE);
            out.writeCount(release.releases().size());
            for (Release one : release.releases()) {
                out.writeString(one.name());
                out.writeLong(one.token());
            }
        } else if (command instanceof RenewLocks renew) {
            out.writeByte(RENEW);
            out.writeCount(renew.renewals().size());
            for (Renew one : renew.renewals()) {
                out.writeString(one.name());
                out.writeLong(one.token());
                out.writeOptionalDuration(one.lease());
            }
        } else if (command instanceof CancelWait cancel) {
            out.writeByte(CANCEL);
            out.writeString(cancel.request().name());
            out.writeString(cancel.request().requestId());
        } else if (command instanceof InspectLock inspect) {
            out.writeByte(INSPECT);
            out.writeString(inspect.name());
        } else if (command instanceof ListLocks list) {
            out.writeByte(LIST);
            out.writeString(list.prefix());
            out.writeString(list.after());
            out.writeCount(list.limit());
        } else if (command instanceof EvictLock evict) {
            out.writeByte(EVICT);
            out.writeString(evict.name());
            out.writeLong(evict.expectedToken());
            out.writeString(evict.reason());
        } else if (command instanceof RevokeLock revoke) {
            out.writeByte(REVOKE);
            out.writeString(revoke.name());
            out.writeString(revoke.by());
        } else {
            writeSessionCommand(command, out);
        }
    }

    private static void writeSessionCommand(LockCommand<?> command, BinaryWriter out) {
        if (command instanceof OpenSession open) {
            out.writeByte(OPEN_SESSION);
            writeSession(open.spec(), out);
        } else if (command instanceof FindSession find) {
            out.writeByte(FIND_SESSION);
            out.writeString(find.sessionId());
        } else if (command instanceof KeepAlive keep) {
            out.writeByte(KEEP_ALIVE);
            out.writeString(keep.sessionId());
        } else if (command instanceof KeepAllAlive keep) {
            out.writeByte(KEEP_ALL_ALIVE);
            out.writeDuration(keep.away());
        } else if (command instanceof CloseSession close) {
            out.writeByte(CLOSE_SESSION);
            out.writeString(close.sessionId());
        } else if (command instanceof AdvanceTime) {
            out.writeByte(ADVANCE_TIME);
        } else {
            throw new IllegalArgumentException("No binary form for " + command);
        }
    }

    static LockCommand<?> read(int tag, BinaryReader in) {
        return switch (tag) {
            case ADVANCE_TIME -> new AdvanceTime();
            case OPEN_SESSION -> new OpenSession(readSession(in));
            case FIND_SESSION -> new FindSession(in.readString());
            case KEEP_ALIVE -> new KeepAlive(in.readString());
            case KEEP_ALL_ALIVE -> new KeepAllAlive(in.readDuration());
            case CLOSE_SESSION -> new CloseSession(in.readString());
            case ACQUIRE -> new AcquireLock(readAcquire(in));
            case RELEASE -> new ReleaseLocks(readReleases(in));
            case RENEW -> new RenewLocks(readRenewals(in));
            case CANCEL -> new CancelWait(new Cancel(in.readString(), in.readString()));
            case INSPECT -> new InspectLock(in.readString());
            case LIST -> new ListLocks(in.readString(), in.readString(), in.readSize());
            case EVICT -> new EvictLock(in.readString(), in.readLong(), in.readString());
            case ACQUIRE_ON_TERMS -> new AcquireLock(readAcquireOnTerms(in));
            case ACQUIRE_ALL -> new AcquireLocks(readAcquires(in));
            case REVOKE -> new RevokeLock(in.readString(), in.readString());
            default -> throw new IllegalStateException("Unknown command tag " + tag);
        };
    }

    static void writeSession(SessionSpec spec, BinaryWriter out) {
        out.writeString(spec.id());
        out.writeString(spec.owner());
        out.writeDuration(spec.ttl());
    }

    static SessionSpec readSession(BinaryReader in) {
        return new SessionSpec(in.readString(), in.readString(), in.readDuration());
    }

    private static void writeAcquire(Acquire request, BinaryWriter out) {
        out.writeString(request.name());
        out.writeString(request.sessionId());
        out.writeString(request.requestId());
        out.writeString(request.owner());
        out.writeOptionalDuration(request.lease());
        out.writeDuration(request.waitTime());
    }

    private static Acquire readAcquire(BinaryReader in) {
        return new Acquire(
                in.readString(),
                in.readString(),
                in.readString(),
                in.readString(),
                in.readOptionalDuration(),
                in.readDuration());
    }

    private static Acquire readAcquireOnTerms(BinaryReader in) {
        Acquire plain = readAcquire(in);
        return new Acquire(
                plain.name(),
                plain.sessionId(),
                plain.requestId(),
                plain.owner(),
                plain.lease(),
                plain.waitTime(),
                readTerms(in));
    }

    private static List<Acquire> readAcquires(BinaryReader in) {
        int size = in.readSize();
        List<Acquire> requests = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            requests.add(readAcquireOnTerms(in));
        }
        return requests;
    }

    static void writeTerms(Terms terms, BinaryWriter out) {
        writeMode(terms.mode(), out);
        out.writeBoolean(terms.fair());
        out.writeDuration(terms.lockDelay());
        out.writeBoolean(terms.converts().isPresent());
        terms.converts().ifPresent(out::writeLong);
    }

    static Terms readTerms(BinaryReader in) {
        return new Terms(
                readMode(in),
                in.readBoolean(),
                in.readDuration(),
                in.readBoolean() ? OptionalLong.of(in.readLong()) : OptionalLong.empty());
    }

    static void writeMode(LockMode mode, BinaryWriter out) {
        out.writeByte(MODES.indexOf(mode.kind()));
        if (mode.kind() == LockMode.Kind.PERMITS) {
            out.writeCount(mode.permits());
            out.writeCount(mode.max());
        }
    }

    static LockMode readMode(BinaryReader in) {
        LockMode.Kind kind = MODES.get(in.readByte());
        return kind == LockMode.Kind.PERMITS
                ? LockMode.permits(in.readSize(), in.readSize())
                : new LockMode(kind, 0, 0);
    }

    private static List<Release> readReleases(BinaryReader in) {
        int size = in.readSize();
        List<Release> releases = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            releases.add(new Release(in.readString(), in.readLong()));
        }
        return releases;
    }

    private static List<Renew> readRenewals(BinaryReader in) {
        int size = in.readSize();
        List<Renew> renewals = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            renewals.add(new Renew(in.readString(), in.readLong(), in.readOptionalDuration()));
        }
        return renewals;
    }
}
