package dev.tenon.id;

import dev.tenon.BackendUnavailableException;
import dev.tenon.id.WorkerFile.Content;
import dev.tenon.id.WorkerFile.Kind;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;

/**
 * A store of which a file remembers the worker ID: the first claim asks for that one, and takes any other if it is
 * leased. The file never allots anything; losing it costs nothing but another number. For one {@link LeasedWorkerId},
 * which makes its calls one after the other.
 */
final class RememberedSlots implements WorkerIdSource, AutoCloseable {
    private final WorkerIdSource source;
    private final WorkerFile file;
    private OptionalInt remembered;
    private boolean started;

    private RememberedSlots(WorkerIdSource source, WorkerFile file, OptionalInt remembered) {
        this.source = source;
        this.file = file;
        this.remembered = remembered;
    }

    /** Opens a file; throws as {@link FileSlot#open} does. */
    static RememberedSlots open(WorkerIdSource source, IdLayout layout, Path path) {
        WorkerFile file = WorkerFile.open(path);
        OptionalInt remembered = null;
        try {
            remembered = file.read()
                    .map(content -> remembered(file.path(), content, layout.text()))
                    .orElse(OptionalInt.empty());
            return new RememberedSlots(source, file, remembered);
        } finally {
            if (remembered == null) {
                file.close();
            }
        }
    }

    private static OptionalInt remembered(Path path, Content content, String layout) {
        if (content.kind() != Kind.REMEMBERED || !content.layout().equals(layout)) {
            throw new DefinitionConflictException("Worker ID file " + path + " is of the kind \"" + content.kind()
                    + "\" for the layout \"" + content.layout() + "\", and can't remember a leased one for \"" + layout
                    + "\": use another file");
        }
        return OptionalInt.of(content.workerId());
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        WorkerSlot slot = preferred(claim);
        remembered = OptionalInt.empty(); // asked for at the start only: later claims want a spare
        try {
            file.write(new Content(
                    Kind.REMEMBERED,
                    slot.workerId(),
                    claim.layout(),
                    slot.claim(),
                    claim.owner(),
                    claim.now(),
                    slot.fence()));
        } catch (BackendUnavailableException e) {
            if (!started) {
                source.release(slot, slot.floor());
                throw e;
            }
            // Later the number is all that is lost, and no reason to issue nothing.
        }
        started = true;
        return slot;
    }

    private WorkerSlot preferred(WorkerClaim claim) {
        if (remembered.isPresent()) {
            try {
                return source.claim(claim.wanting(remembered.getAsInt()));
            } catch (WorkerIdTakenException e) {
                // Another process was faster, or this process's own lease from before a crash still lasts: any other
                // will do.
            }
        }
        return source.claim(claim);
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        return source.renew(slot, lease, fence);
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        source.release(slot, lastUsed);
    }

    @Override
    public List<WorkerSlotView> census() {
        return source.census();
    }

    @Override
    public void close() {
        file.close();
    }
}
