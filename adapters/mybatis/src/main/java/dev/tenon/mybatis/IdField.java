package dev.tenon.mybatis;

import dev.tenon.id.IdGenerator;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** A field with {@link TenonId}, and where its numbers come from. */
record IdField(Field field, IdGenerator ids, LongFunction<Object> form) {
    private static final Map<Class<?>, LongFunction<Object>> FORMS = Map.of(
            long.class, number -> number,
            Long.class, number -> number,
            int.class, Math::toIntExact,
            Integer.class, Math::toIntExact,
            BigInteger.class, BigInteger::valueOf,
            String.class, Long::toString);

    /** Those of a class and all above it. */
    static List<IdField> of(Class<?> type, Function<String, ? extends @Nullable IdGenerator> named) {
        List<IdField> found = new ArrayList<>();
        for (Class<?> at = type; at != null && !isOfTheJdk(at); at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                TenonId asked = field.getAnnotation(TenonId.class);
                if (asked != null) {
                    found.add(of(field, asked.value(), named));
                }
            }
        }
        return List.copyOf(found);
    }

    private static boolean isOfTheJdk(Class<?> type) {
        return type.isArray()
                || type.getModule() == Object.class.getModule()
                || type.getName().startsWith("java.");
    }

    private static IdField of(Field field, String name, Function<String, ? extends @Nullable IdGenerator> named) {
        String where =
                "@TenonId(\"" + name + "\") on " + field.getDeclaringClass().getName() + "." + field.getName();
        LongFunction<Object> form = FORMS.get(field.getType());
        if (form == null) {
            throw new IllegalArgumentException(where + ": the field is a long, int, BigInteger or String, and not a "
                    + field.getType().getName());
        }
        if (Modifier.isFinal(field.getModifiers())) {
            throw new IllegalArgumentException(where
                    + ": the field is final, as those of records are; give such an object its number when it is made");
        }
        IdGenerator ids = named.apply(name);
        if (ids == null) {
            throw new IllegalArgumentException(where + ": there is no generator of this name");
        }
        field.setAccessible(true);
        return new IdField(field, ids, form);
    }

    boolean isEmpty(Object entity) {
        try {
            Object value = field.get(entity);
            return value == null || value instanceof Number number && number.longValue() == 0;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    void write(Object entity, long number) {
        try {
            field.set(entity, form.apply(number));
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
