package dev.tenon.testkit.duplicates;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a {@link DuplicateHunt} found.
 *
 * @param issued how many IDs were issued
 * @param refused how often none was, by the name of the exception
 * @param faults how often each fault was done
 * @param duplicates the IDs that were issued twice, with what happened in between
 */
public record DuplicateReport(
        long issued, Map<String, Long> refused, Map<Fault, Long> faults, List<Duplicate> duplicates) {
    public DuplicateReport {
        refused = Map.copyOf(refused);
        faults = Map.copyOf(faults);
        duplicates = List.copyOf(duplicates);
    }

    /**
     * An ID that was issued twice.
     *
     * @param id the ID
     * @param seed with which the hunt finds it again
     * @param first who issued it, and in which step
     * @param second who issued it again, and in which step
     * @param between the faults in between, oldest first
     */
    public record Duplicate(Object id, long seed, String first, String second, List<String> between) {
        public Duplicate {
            between = List.copyOf(between);
        }

        @Override
        public String toString() {
            String faults = between.isEmpty() ? "nothing" : String.join("; ", between);
            return "ID " + id + " twice, by " + first + " and by " + second + "; in between: " + faults
                    + ". Again with seed(" + seed + ")";
        }
    }

    @Override
    public String toString() {
        String found = duplicates.isEmpty()
                ? "no duplicate"
                : duplicates.size() + " duplicates, the first of them:\n"
                        + duplicates.stream()
                                .limit(5)
                                .map(duplicate -> "  " + duplicate)
                                .collect(Collectors.joining("\n"));
        return issued + " IDs, refused " + refused + ", faults " + faults + ": " + found;
    }
}
