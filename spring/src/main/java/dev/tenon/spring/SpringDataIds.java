package dev.tenon.spring;

import dev.tenon.id.IdGenerator;
import java.math.BigInteger;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mapping.PersistentEntity;
import org.springframework.data.mapping.PersistentProperty;
import org.springframework.data.mapping.PersistentPropertyAccessor;
import org.springframework.data.mapping.context.MappingContext;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;

/** Fills the identifiers with {@link TenonId} of what Spring Data JDBC saves. Thread-safe. */
final class SpringDataIds implements BeforeConvertCallback<Object> {
    private static final Map<Class<?>, LongFunction<Object>> FORMS = Map.of(
            long.class, number -> number,
            Long.class, number -> number,
            int.class, Math::toIntExact,
            Integer.class, Math::toIntExact,
            BigInteger.class, BigInteger::valueOf,
            String.class, Long::toString);

    private final Supplier<MappingContext<?, ?>> mapping;
    private final Function<String, IdGenerator> named;
    private final Map<String, IdGenerator> known = new ConcurrentHashMap<>();

    /**
     * Looks at what the mapping says when the first entity is saved.
     *
     * @param mapping of Spring Data, which is made after its callbacks
     */
    SpringDataIds(Supplier<MappingContext<?, ?>> mapping, Function<String, IdGenerator> named) {
        this.mapping = mapping;
        this.named = named;
    }

    @Override
    public Object onBeforeConvert(Object aggregate) {
        PersistentEntity<?, ?> entity = mapping.get().getPersistentEntity(aggregate.getClass());
        PersistentProperty<?> id = entity == null ? null : entity.getIdProperty();
        TenonId asked = id == null ? null : id.findAnnotation(TenonId.class);
        if (entity == null || id == null || asked == null) {
            return aggregate;
        }
        LongFunction<Object> form = FORMS.get(id.getType());
        if (form == null) {
            throw new TenonStartException(
                    "@TenonId(\"" + asked.value() + "\") is on " + id + ", which is a "
                            + id.getType().getName() + ".",
                    "Make it a long, int, BigInteger or String.");
        }
        PersistentPropertyAccessor<Object> properties = entity.getPropertyAccessor(aggregate);
        if (!isEmpty(properties.getProperty(id))) {
            return aggregate;
        }
        long number = known.computeIfAbsent(asked.value(), named).nextId();
        properties.setProperty(id, form.apply(number));
        return properties.getBean();
    }

    private static boolean isEmpty(@Nullable Object value) {
        return value == null || value instanceof Number number && number.longValue() == 0;
    }
}
