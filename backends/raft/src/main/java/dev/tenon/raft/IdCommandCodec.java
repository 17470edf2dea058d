package dev.tenon.raft;

import dev.tenon.id.spi.ClaimTerms;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.raft.IdCommand.AllDefinitions;
import dev.tenon.raft.IdCommand.ClaimWorker;
import dev.tenon.raft.IdCommand.DefineRange;
import dev.tenon.raft.IdCommand.FindDefinition;
import dev.tenon.raft.IdCommand.FindRange;
import dev.tenon.raft.IdCommand.NextRange;
import dev.tenon.raft.IdCommand.PutDefinition;
import dev.tenon.raft.IdCommand.RaiseRange;
import dev.tenon.raft.IdCommand.ReleaseWorker;
import dev.tenon.raft.IdCommand.RemoveDefinition;
import dev.tenon.raft.IdCommand.RenewWorker;
import dev.tenon.raft.IdCommand.ReplaceDefinition;
import dev.tenon.raft.IdCommand.WorkerCensus;
import java.util.OptionalInt;

/**
 * The binary form of {@link IdCommand}s: a tag and the fields in the order of their record. A tag is never given
 * another meaning, as old logs are read by new code.
 */
final class IdCommandCodec {
    private static final int NEXT_RANGE = 32;
    private static final int DEFINE_RANGE = 33;
    private static final int FIND_RANGE = 34;
    private static final int RAISE_RANGE = 35;
    /** Before the store could say that it may have forgotten: claims are counted. */
    private static final int CLAIM_WORKER = 36;

    private static final int RENEW_WORKER = 37;
    private static final int RELEASE_WORKER = 38;
    private static final int WORKER_CENSUS = 39;
    private static final int FIND_DEFINITION = 40;
    private static final int PUT_DEFINITION = 41;
    private static final int ALL_DEFINITIONS = 42;
    private static final int CLAIM_WANTED_WORKER = 43;
    private static final int REPLACE_DEFINITION = 44;
    private static final int REMOVE_DEFINITION = 45;
    private static final int CLAIM_WORKER_IN = 46;
    private static final int RENEW_WORKER_IN = 47;

    private static final int OWN = 1;
    private static final int NEW_STORE = 2;
    private static final int WANTED = 4;
    private static final int KEPT = 8;

    /** The greatest tag of these; greater ones belong to {@link TransactionCommandCodec}. */
    static final int TAG_MAX = 63;

    private IdCommandCodec() {}

    static void write(IdCommand<?> command, BinaryWriter out) {
        if (command instanceof NextRange next) {
            out.writeByte(NEXT_RANGE);
            out.writeString(next.name());
            out.writeLong(next.count());
        } else if (command instanceof DefineRange define) {
            out.writeByte(DEFINE_RANGE);
            out.writeString(define.name());
            writeDefinition(define.definition(), out);
        } else if (command instanceof FindRange find) {
            out.writeByte(FIND_RANGE);
            out.writeString(find.name());
        } else if (command instanceof RaiseRange raise) {
            out.writeByte(RAISE_RANGE);
            out.writeString(raise.name());
            out.writeLong(raise.floor());
        } else {
            writeDefinitionCommand(command, out);
        }
    }

    private static void writeDefinitionCommand(IdCommand<?> command, BinaryWriter out) {
        if (command instanceof FindDefinition find) {
            out.writeByte(FIND_DEFINITION);
            out.writeString(find.name());
        } else if (command instanceof PutDefinition put) {
            out.writeByte(PUT_DEFINITION);
            out.writeString(put.name());
            out.writeString(put.text());
        } else if (command instanceof ReplaceDefinition replace) {
            out.writeByte(REPLACE_DEFINITION);
            out.writeString(replace.name());
            out.writeString(replace.before());
            out.writeString(replace.text());
        } else if (command instanceof RemoveDefinition remove) {
            out.writeByte(REMOVE_DEFINITION);
            out.writeString(remove.name());
            out.writeString(remove.text());
        } else if (command instanceof AllDefinitions) {
            out.writeByte(ALL_DEFINITIONS);
        } else {
            writeWorkerCommand(command, out);
        }
    }

    private static void writeWorkerCommand(IdCommand<?> command, BinaryWriter out) {
        if (command instanceof ClaimWorker claim) {
            writeClaimCommand(claim, out);
        } else if (command instanceof RenewWorker renew) {
            boolean old = renew.incarnation().isEmpty();
            out.writeByte(old ? RENEW_WORKER : RENEW_WORKER_IN);
            out.writeString(renew.group());
            writeSlot(renew.slot(), out);
            out.writeDuration(renew.lease());
            out.writeInstant(renew.fence());
            if (!old) {
                out.writeString(renew.incarnation());
            }
        } else if (command instanceof ReleaseWorker release) {
            out.writeByte(RELEASE_WORKER);
            out.writeString(release.group());
            writeSlot(release.slot(), out);
            out.writeInstant(release.lastUsed());
        } else if (command instanceof WorkerCensus census) {
            out.writeByte(WORKER_CENSUS);
            out.writeString(census.group());
        } else {
            throw new IllegalArgumentException("No binary form for " + command);
        }
    }

    private static void writeClaimCommand(ClaimWorker command, BinaryWriter out) {
        WorkerClaim claim = command.claim();
        OptionalInt wanted = claim.wanted();
        ClaimTerms terms = command.terms();
        if (terms.equals(ClaimTerms.COUNTED)) {
            out.writeByte(wanted.isPresent() ? CLAIM_WANTED_WORKER : CLAIM_WORKER);
            out.writeString(command.group());
            writeClaim(claim, out);
            wanted.ifPresent(out::writeCount);
            return;
        }
        out.writeByte(CLAIM_WORKER_IN);
        out.writeString(command.group());
        writeClaim(claim, out);
        out.writeString(terms.incarnation());
        out.writeByte((terms.own() ? OWN : 0)
                | (claim.newStore() ? NEW_STORE : 0)
                | (wanted.isPresent() ? WANTED : 0)
                | (claim.kept().isPresent() ? KEPT : 0));
        wanted.ifPresent(out::writeCount);
        claim.kept().ifPresent(kept -> {
            out.writeCount(kept.workerId());
            out.writeLong(kept.claim());
        });
    }

    private static ClaimWorker readClaimCommand(BinaryReader in) {
        String group = in.readString();
        WorkerClaim claim = readClaim(in);
        String incarnation = in.readString();
        int flags = in.readByte();
        if ((flags & ~(OWN | NEW_STORE | WANTED | KEPT)) != 0) {
            throw new IllegalStateException("A claim of a worker ID with unknown flags: " + flags);
        }
        claim = (flags & WANTED) != 0 ? claim.wanting(in.readSize()) : claim;
        claim = (flags & KEPT) != 0 ? claim.keeping(in.readSize(), in.readLong()) : claim;
        claim = (flags & NEW_STORE) != 0 ? claim.inNewStore() : claim;
        return new ClaimWorker(group, claim, new ClaimTerms(incarnation, (flags & OWN) != 0, false));
    }

    static IdCommand<?> read(int tag, BinaryReader in) {
        return switch (tag) {
            case NEXT_RANGE -> new NextRange(in.readString(), in.readLong());
            case DEFINE_RANGE -> new DefineRange(in.readString(), readDefinition(in));
            case FIND_RANGE -> new FindRange(in.readString());
            case RAISE_RANGE -> new RaiseRange(in.readString(), in.readLong());
            case CLAIM_WORKER -> new ClaimWorker(in.readString(), readClaim(in), ClaimTerms.COUNTED);
            case CLAIM_WANTED_WORKER ->
                new ClaimWorker(in.readString(), readClaim(in).wanting(in.readSize()), ClaimTerms.COUNTED);
            case CLAIM_WORKER_IN -> readClaimCommand(in);
            case RENEW_WORKER ->
                new RenewWorker(in.readString(), readSlot(in), in.readDuration(), in.readInstant(), "");
            case RENEW_WORKER_IN ->
                new RenewWorker(in.readString(), readSlot(in), in.readDuration(), in.readInstant(), in.readString());
            case RELEASE_WORKER -> new ReleaseWorker(in.readString(), readSlot(in), in.readInstant());
            case WORKER_CENSUS -> new WorkerCensus(in.readString());
            case FIND_DEFINITION -> new FindDefinition(in.readString());
            case PUT_DEFINITION -> new PutDefinition(in.readString(), in.readString());
            case REPLACE_DEFINITION -> new ReplaceDefinition(in.readString(), in.readString(), in.readString());
            case REMOVE_DEFINITION -> new RemoveDefinition(in.readString(), in.readString());
            case ALL_DEFINITIONS -> new AllDefinitions();
            default -> throw new IllegalStateException("Unknown command tag " + tag);
        };
    }

    static void writeDefinition(RangeDefinition definition, BinaryWriter out) {
        out.writeLong(definition.start());
        out.writeLong(definition.step());
        out.writeLong(definition.max());
    }

    static RangeDefinition readDefinition(BinaryReader in) {
        return new RangeDefinition(in.readLong(), in.readLong(), in.readLong());
    }

    private static void writeClaim(WorkerClaim claim, BinaryWriter out) {
        out.writeString(claim.requestId());
        out.writeString(claim.owner());
        out.writeString(claim.layout());
        out.writeCount(claim.capacity());
        out.writeDuration(claim.lease());
        out.writeInstant(claim.now());
        out.writeDuration(claim.reserve());
    }

    private static WorkerClaim readClaim(BinaryReader in) {
        return new WorkerClaim(
                in.readString(),
                in.readString(),
                in.readString(),
                in.readSize(),
                in.readDuration(),
                in.readInstant(),
                in.readDuration());
    }

    private static void writeSlot(WorkerSlot slot, BinaryWriter out) {
        out.writeLong(slot.workerId());
        out.writeLong(slot.claim());
        out.writeInstant(slot.floor());
        out.writeInstant(slot.fence());
    }

    private static WorkerSlot readSlot(BinaryReader in) {
        return new WorkerSlot(Math.toIntExact(in.readLong()), in.readLong(), in.readInstant(), in.readInstant());
    }
}
