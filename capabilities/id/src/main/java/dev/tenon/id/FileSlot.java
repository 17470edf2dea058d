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
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/**
 * One worker ID that a file keeps: the lock of the file is the lease, and its time fence is what a store's is. For one
 * {@link LeasedWorkerId}, which makes its calls one after the other.
 */
final class FileSlot implements WorkerIdSource, AutoCloseable {
    private final WorkerFile file;

    private FileSlot(WorkerFile file) {
        this.file = file;
    }

    /**
     * Opens a file, and refuses it unless it keeps this worker ID for this layout, or does not exist yet.
     *
     * @throws DefinitionConflictException if it keeps another worker ID, or for another layout
     * @throws WorkerIdTakenException if it is in use
     * @throws IllegalStateException if it is damaged
     */
    static FileSlot open(Path path, IdLayout layout, int workerId) {
        WorkerFile file = WorkerFile.open(path);
        boolean fits = false;
        try {
            file.read().ifPresent(content -> requireSame(file.path(), content, workerId, layout.text()));
            fits = true;
        } finally {
            if (!fits) {
                file.close();
            }
        }
        return new FileSlot(file);
    }

    private static void requireSame(Path path, Content content, int workerId, String layout) {
        if (content.kind() != Kind.KEPT) {
            throw new DefinitionConflictException("Worker ID file " + path
                    + " remembers a worker ID that a store leases, and has no time fence of its own: use another file");
        }
        if (content.workerId() != workerId || !content.layout().equals(layout)) {
            throw new DefinitionConflictException("Worker ID file " + path + " keeps worker ID " + content.workerId()
                    + " for the layout \"" + content.layout() + "\", not " + workerId + " for \"" + layout
                    + "\": start with those, or with another file");
        }
    }

    @Override
    public WorkerSlot claim(WorkerClaim claim) {
        int workerId = claim.wanted().orElseThrow();
        Content before = current()
                .orElse(new Content(Kind.KEPT, workerId, claim.layout(), 0, claim.owner(), claim.now(), Instant.EPOCH));
        // Nothing may be used before the old fence anyway. One that moved with each start would run away from the clock
        // if starts are killed while they wait for it; the first ID reserves time, as any beyond the fence does.
        Instant fence = before.fence().isAfter(claim.now())
                ? before.fence()
                : roundUp(claim.now().plus(claim.reserve()));
        Content after =
                new Content(Kind.KEPT, workerId, claim.layout(), before.claim() + 1, claim.owner(), claim.now(), fence);
        file.write(after);
        return new WorkerSlot(workerId, after.claim(), before.fence(), after.fence());
    }

    @Override
    public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
        Content content = claimed(slot);
        if (content.fence().isBefore(fence)) {
            file.write(withFence(content, roundUp(fence)));
        }
        return true;
    }

    @Override
    public void release(WorkerSlot slot, Instant lastUsed) {
        Instant used = roundUp(lastUsed);
        file.write(withFence(claimed(slot), used.isAfter(slot.floor()) ? used : slot.floor()));
    }

    @Override
    public List<WorkerSlotView> census() {
        return current()
                .map(content -> new WorkerSlotView(
                        content.workerId(), content.owner(), content.since(), Duration.ZERO, content.fence()))
                .stream()
                .toList();
    }

    @Override
    public void close() {
        file.close();
    }

    private Optional<Content> current() {
        try {
            return file.read();
        } catch (IllegalStateException e) {
            // It was whole when it was opened: the generator goes on as far as time is reserved, as with any store.
            throw new BackendUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }

    private Content claimed(WorkerSlot slot) {
        return current()
                .filter(content -> content.claim() == slot.claim() && content.workerId() == slot.workerId())
                .orElseThrow(() -> new BackendUnavailableException("Worker ID file " + file.path()
                        + " was deleted or replaced while it was in use: put it back, or close this worker ID"));
    }

    private static Content withFence(Content content, Instant fence) {
        return new Content(
                content.kind(),
                content.workerId(),
                content.layout(),
                content.claim(),
                content.owner(),
                content.since(),
                fence);
    }

    private static Instant roundUp(Instant instant) {
        Instant millis = instant.truncatedTo(ChronoUnit.MILLIS);
        return millis.isBefore(instant) ? millis.plusMillis(1) : millis;
    }
}
