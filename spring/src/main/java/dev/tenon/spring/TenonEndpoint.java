package dev.tenon.spring;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/** {@code /actuator/tenon}: what this process holds, leads and issues. Asks no store. */
@Endpoint(id = "tenon")
final class TenonEndpoint {
    private final Optional<TenonBackend> backend;
    private final Optional<HeldLocks> held;
    private final Optional<Leaders> leaders;
    private final IdFactory ids;

    /** What it tells of, where it is there. */
    record Subjects(Optional<TenonBackend> backend, Optional<HeldLocks> held, Optional<Leaders> leaders) {}

    TenonEndpoint(Subjects subjects, IdFactory ids) {
        this.backend = subjects.backend();
        this.held = subjects.held();
        this.leaders = subjects.leaders();
        this.ids = ids;
    }

    /**
     * The answer.
     *
     * @param backend the kind of store
     * @param locks those that this process holds
     * @param leads the elections that it has won
     * @param ids the generators
     */
    record Report(String backend, List<HeldLocks.Held> locks, List<String> leads, List<Ids> ids) {}

    /**
     * A generator.
     *
     * @param name of its bean
     * @param kind as in the configuration
     * @param issued how many by this process; null where that is not counted
     */
    record Ids(String name, String kind, @Nullable Long issued) {}

    @ReadOperation
    public Report report() {
        List<Ids> generators = new TreeMap<>(ids.definitions())
                .entrySet().stream()
                        .map(entry -> {
                            CountedIds counted = ids.counted().get(entry.getKey());
                            return new Ids(
                                    entry.getKey(),
                                    entry.getValue().kind().name().toLowerCase(Locale.ROOT),
                                    counted == null ? null : counted.issued());
                        })
                        .toList();
        return new Report(
                backend.map(TenonBackend::kind).orElse("none"),
                held.map(HeldLocks::list).orElse(List.of()),
                leaders.map(Leaders::led).orElse(List.of()),
                generators);
    }
}
