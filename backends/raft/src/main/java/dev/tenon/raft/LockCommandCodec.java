package dev.tenon.raft;

import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.SessionSpec;
import dev.tenon.raft.LockCommand.AcquireLock;
import dev.tenon.raft.LockCommand.AdvanceTime;
import dev.tenon.raft.LockCommand.CancelWait;
import dev.tenon.raft.LockCommand.CloseSession;
import dev.tenon.raft.LockCommand.EvictLock;
import dev.tenon.raft.LockCommand.FindSession;
import dev.tenon.raft.LockCommand.InspectLock;
import dev.tenon.raft.LockCommand.KeepAlive;
import dev.tenon.raft.LockCommand.ListLocks;
import dev.tenon.raft.LockCommand.OpenSession;
import dev.tenon.raft.LockCommand.ReleaseLocks;
import dev.tenon.raft.LockCommand.RenewLocks;
import java.util.ArrayList;
import java.util.List;

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

    /** The greatest tag of a lock command; greater ones belong to {@link IdCommandCodec}. */
    static final int TAG_MAX = 31;

    private LockCommandCodec() {}

    static void write(LockCommand<?> command, BinaryWriter out) {
        if (command instanceof AcquireLock acquire) {
            out.writeByte(ACQUIRE);
            writeAcquire(acquire.request(), out);
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
            case CLOSE_SESSION -> new CloseSession(in.readString());
            case ACQUIRE -> new AcquireLock(readAcquire(in));
            case RELEASE -> new ReleaseLocks(readReleases(in));
            case RENEW -> new RenewLocks(readRenewals(in));
            case CANCEL -> new CancelWait(new Cancel(in.readString(), in.readString()));
            case INSPECT -> new InspectLock(in.readString());
            case LIST -> new ListLocks(in.readString(), in.readString(), in.readSize());
            case EVICT -> new EvictLock(in.readString(), in.readLong(), in.readString());
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
