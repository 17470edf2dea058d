package dev.tenon.mybatis;

import com.baomidou.mybatisplus.core.incrementer.IdentifierGenerator;
import dev.tenon.id.IdGenerator;
import dev.tenon.id.standard.EpochUuidGenerator;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of {@code @TableId(type = IdType.ASSIGN_ID)} in MyBatis-Plus. Set it by {@code
 * GlobalConfigUtils.setGlobalConfig} or {@code GlobalConfig.setIdentifierGenerator}; in Spring Boot a bean of this type
 * is enough, and the starter has one. {@code ASSIGN_UUID} gets UUIDs of version 7, without hyphens as MyBatis-Plus has
 * them, in the order of time.
 *
 * <p>What the numbers promise is what their generator promises; its exceptions end the insert. MyBatis-Plus asks for
 * one number at a time, in {@code saveBatch} too: let the generator be one that asks no store each time. Thread-safe.
 */
public final class TenonIdentifierGenerator implements IdentifierGenerator {
    private final Function<? super Class<?>, ? extends @Nullable IdGenerator> generators;
    private final Map<Class<?>, IdGenerator> byEntity = new ConcurrentHashMap<>();
    private final EpochUuidGenerator uuids = EpochUuidGenerator.create();

    private TenonIdentifierGenerator(Function<? super Class<?>, ? extends @Nullable IdGenerator> generators) {
        this.generators = generators;
    }

    /**
     * One generator for all entities, whatever their {@link TenonId} says: no two entities of any class share a number.
     */
    public static TenonIdentifierGenerator of(IdGenerator ids) {
        Objects.requireNonNull(ids, "ids");
        return new TenonIdentifierGenerator(entity -> ids);
    }

    /**
     * For each entity the generator that {@link TenonId} on its class names.
     *
     * @param named asked for each class of entities once; null, or an exception: there is none of that name
     * @param others for entities that name none; null: their insert is refused
     */
    public static TenonIdentifierGenerator byName(
            Function<String, ? extends @Nullable IdGenerator> named, @Nullable IdGenerator others) {
        Objects.requireNonNull(named, "named");
        return new TenonIdentifierGenerator(entity -> {
            TenonId asked = annotation(entity);
            return asked == null ? others : named.apply(asked.value());
        });
    }

    /**
     * The next number for an entity.
     *
     * @throws IllegalArgumentException if there is no generator for its class
     */
    @Override
    public Number nextId(Object entity) {
        return byEntity.computeIfAbsent(entity.getClass(), this::require).nextId();
    }

    @Override
    public String nextUUID(Object entity) {
        return uuids.nextUuid().toString().replace("-", "");
    }

    private IdGenerator require(Class<?> entity) {
        IdGenerator found = generators.apply(entity);
        if (found == null) {
            TenonId asked = annotation(entity);
            throw new IllegalArgumentException(
                    asked == null
                            ? entity.getName()
                                    + " says no generator: put @TenonId(\"name\") on the class, or name one for all others"
                            : "@TenonId(\"" + asked.value() + "\") on " + entity.getName()
                                    + ": there is no such generator");
        }
        return found;
    }

    private static @Nullable TenonId annotation(Class<?> entity) {
        for (Class<?> type = entity; type != null; type = type.getSuperclass()) {
            TenonId asked = type.getDeclaredAnnotation(TenonId.class);
            if (asked != null) {
                return asked;
            }
        }
        return null;
    }
}
