package dev.tenon.id;

import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlotView;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The holder of each worker ID of a group, since when, and for how much longer: a snapshot, by the store's clock, for
 * operators and for a gauge that alerts before none are left. {@link #toString} is a report with a line for each worker
 * ID that was ever leased. Immutable.
 *
 * @param capacity how many worker IDs there are
 * @param slots those that were ever leased, in ascending order
 */
public record WorkerCensus(int capacity, List<WorkerSlotView> slots) {
    private static final int HOLDERS_NAMED_MAX = 10;
    private static final double NANOS_PER_SECOND = 1e9;

    public WorkerCensus {
        slots = List.copyOf(slots);
    }

    /** Takes the census of a group whose worker IDs are for the given layout: one call to the store. */
    public static WorkerCensus of(WorkerIdSource source, IdLayout layout) {
        return new WorkerCensus(layout.workers(), source.census());
    }

    /** How many worker IDs are leased. */
    public int leased() {
        return (int) slots.stream().filter(WorkerCensus::leased).count();
    }

    /** How many worker IDs can be had at once. */
    public int free() {
        return capacity - leased();
    }

    @Override
    public String toString() {
        return slots.stream()
                .map(slot -> "\n" + line(slot))
                .collect(Collectors.joining(
                        "", leased() + " of " + capacity + " worker IDs leased, " + free() + " free", ""));
    }

    /** One worker ID, as people read it. */
    static String line(WorkerSlotView slot) {
        String who =
                slot.workerId() + (leased(slot) ? " by " : " free, last by ") + slot.owner() + " since " + slot.since();
        return who + (leased(slot) ? ", " + seconds(slot.leaseLeft()) + " of lease left" : "")
                + ", time reserved up to " + slot.fence();
    }

    /** The first few of {@code count} worker IDs, on one line. */
    static String someOf(List<WorkerSlotView> slots, int count) {
        int named = Math.min(HOLDERS_NAMED_MAX, slots.size());
        String lines = slots.stream().limit(named).map(WorkerCensus::line).collect(Collectors.joining("; "));
        return lines + (count > named ? "; and " + (count - named) + " more" : "");
    }

    private static boolean leased(WorkerSlotView slot) {
        return !slot.leaseLeft().isZero();
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.1f s", duration.toNanos() / NANOS_PER_SECOND);
    }
}
