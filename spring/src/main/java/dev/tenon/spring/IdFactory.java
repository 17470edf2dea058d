package dev.tenon.spring;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.id.SequenceGenerator;
import dev.tenon.id.ShuffledSegmentGenerator;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.TemplateReset;
import dev.tenon.id.WorkerId;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.id.spi.RangeStore;
import dev.tenon.id.standard.EpochUuidGenerator;
import dev.tenon.id.standard.UlidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Makes the generators of {@code tenon.ids}, and knows them afterwards. Thread-safe. */
final class IdFactory {
    private final Map<String, IdDefinition> definitions;
    private final Supplier<@Nullable TenonBackend> backend;
    private final Map<String, CountedIds> counted = new ConcurrentHashMap<>();
    private final LongAdder forgotten = new LongAdder();

    IdFactory(Map<String, IdDefinition> definitions, Supplier<@Nullable TenonBackend> backend) {
        this.definitions = definitions;
        this.backend = backend;
    }

    /** What {@code application.yml} says. */
    Map<String, IdDefinition> definitions() {
        return definitions;
    }

    /** Those that count. */
    Map<String, CountedIds> counted() {
        return Map.copyOf(counted);
    }

    /** How many numbers of this name were issued, by this process. */
    ToLongFunction<String> issued() {
        return name -> {
            CountedIds ids = counted.get(name);
            return ids == null ? 0 : ids.issued();
        };
    }

    /** How often the store had forgotten a worker ID of this process, and was told of it again. */
    long forgotten() {
        return forgotten.sum();
    }

    /** A generator of numbers. */
    IdGenerator numbers(String name) {
        IdDefinition definition = definition(name);
        CountedIds made = switch (definition.kind()) {
            case SNOWFLAKE -> snowflake(name, definition);
            case SEGMENT -> {
                SegmentGenerator ids =
                        SegmentGenerator.create(ranges(name, definition), definition.groupOf(name), policy(definition));
                yield new CountedIds(ids, List.of(ids));
            }
            case SHUFFLED -> {
                ShuffledSegmentGenerator ids = ShuffledSegmentGenerator.create(
                        ranges(name, definition), definition.groupOf(name), policy(definition));
                yield new CountedIds(ids, List.of(ids));
            }
            case SEQUENCE ->
                new CountedIds(SequenceGenerator.create(ranges(name, definition), definition.groupOf(name)), List.of());
            default -> throw new IllegalStateException(name + " makes no numbers");
        };
        counted.put(name, made);
        return made;
    }

    /** A generator of text. */
    TemplateGenerator template(String name) {
        IdDefinition definition = definition(name);
        String template = definition.template();
        if (template == null) {
            throw new TenonStartException(
                    "tenon.ids." + name + " is of the kind template, and has none.",
                    "Set tenon.ids." + name + ".template, to \"ORD{yyyyMMdd}{seq:6}\" for example.");
        }
        return asked(
                name,
                () -> TemplateGenerator.builder(template)
                        .reset(reset(definition.reset()), definition.zone())
                        .build(store(name).ranges(), definition.groupOf(name)));
    }

    /** A generator of UUIDs of version 7. */
    UuidGenerator uuid(String name) {
        return EpochUuidGenerator.create();
    }

    /** A generator of ULIDs. */
    UlidGenerator ulid(String name) {
        return UlidGenerator.create();
    }

    private CountedIds snowflake(String name, IdDefinition definition) {
        return asked(name, () -> {
            IdLayout layout = definition.bits();
            Integer fixed = definition.workerId();
            WorkerId worker = fixed == null ? leased(name, definition) : WorkerId.fixed(fixed);
            IdGenerator ids = SnowflakeGenerator.builder(layout, worker)
                    .lane(definition.lane())
                    .build();
            return new CountedIds(ids, List.of(worker));
        });
    }

    private WorkerId leased(String name, IdDefinition definition) {
        WorkerId.Builder builder = WorkerId.builder(
                        store(name).workerIds().apply(definition.groupOf(name)), definition.bits())
                .whenForgotten(e -> forgotten.increment());
        return definition.newStore() ? builder.newStore().lease() : builder.lease();
    }

    private RangeStore ranges(String name, IdDefinition definition) {
        RangeStore ranges = store(name).ranges();
        if (definition.start() != 1) {
            asked(name, () -> {
                ranges.define(definition.groupOf(name), new RangeDefinition(definition.start(), 1, Long.MAX_VALUE));
                return name;
            });
        }
        return ranges;
    }

    private static SegmentPolicy policy(IdDefinition definition) {
        Long size = definition.size();
        return size == null ? SegmentPolicy.DEFAULT : SegmentPolicy.ofStep(size);
    }

    private static TemplateReset reset(IdDefinition.Reset reset) {
        return switch (reset) {
            case NEVER -> TemplateReset.never();
            case DAILY -> TemplateReset.daily();
            case MONTHLY -> TemplateReset.monthly();
            case YEARLY -> TemplateReset.yearly();
        };
    }

    private IdDefinition definition(String name) {
        return Objects.requireNonNull(definitions.get(name), () -> "tenon.ids." + name);
    }

    private TenonBackend store(String name) {
        TenonBackend store = backend.get();
        if (store == null) {
            throw new TenonStartException(
                    "tenon.ids." + name + " needs a store, and tenon.backend is none.",
                    "Choose a backend; or make it a snowflake with a worker-id of its own, a uuid or a ulid.");
        }
        return store;
    }

    /** What a value that is out of bounds is called in {@code application.yml}. */
    private static <T> T asked(String name, Supplier<T> make) {
        try {
            return make.get();
        } catch (IllegalArgumentException | dev.tenon.id.DefinitionConflictException e) {
            throw new TenonStartException(
                    "tenon.ids." + name + " isn't right: " + e.getMessage(), "Correct it in the configuration.", e);
        }
    }
}
