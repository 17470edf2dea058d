package dev.tenon.mybatis;

import dev.tenon.id.IdGenerator;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.apache.ibatis.executor.Executor;
import org.apache.ibatis.mapping.MappedStatement;
import org.apache.ibatis.mapping.SqlCommandType;
import org.apache.ibatis.plugin.Interceptor;
import org.apache.ibatis.plugin.Intercepts;
import org.apache.ibatis.plugin.Invocation;
import org.apache.ibatis.plugin.Signature;
import org.jspecify.annotations.Nullable;

/**
 * Fills the fields with {@link TenonId} of what a MyBatis mapper inserts, before the statement is made: of the
 * parameter itself, of the elements of a list or array, and of the values of a mapper's named parameters. The numbers
 * of one statement are taken in one call of the generator. A field that has a value keeps it.
 *
 * <p>Add it by {@code Configuration.addInterceptor}; in Spring Boot a bean of this type is enough, and the starter has
 * one. Statements that take their key themselves ({@code selectKey}, {@code useGeneratedKeys}) are for entities without
 * the annotation. Objects of the JDK are not looked into, and neither are fields of fields. Thread-safe.
 */
@Intercepts(
        @Signature(
                type = Executor.class,
                method = "update",
                args = {MappedStatement.class, Object.class}))
public final class TenonIdInterceptor implements Interceptor {
    private final Function<String, ? extends @Nullable IdGenerator> named;
    private final Map<Class<?>, List<IdField>> fields = new ConcurrentHashMap<>();

    private TenonIdInterceptor(Function<String, ? extends @Nullable IdGenerator> named) {
        this.named = Objects.requireNonNull(named, "named");
    }

    /**
     * An interceptor with these generators.
     *
     * @param named asked for each name once a class; null, or an exception: there is none of that name
     */
    public static TenonIdInterceptor of(Function<String, ? extends @Nullable IdGenerator> named) {
        return new TenonIdInterceptor(named);
    }

    /**
     * Fills what an insert is about to write, and goes on. Throws what the generator throws; no field is filled by a
     * generator that failed.
     *
     * @throws IllegalArgumentException if a name has no generator, or a field is of no type that can have its numbers
     */
    @Override
    public Object intercept(Invocation invocation) throws Throwable {
        MappedStatement statement = (MappedStatement) invocation.getArgs()[0];
        Object parameter = invocation.getArgs()[1];
        if (statement.getSqlCommandType() == SqlCommandType.INSERT && parameter != null) {
            fill(parameter);
        }
        return invocation.proceed();
    }

    private void fill(Object parameter) {
        Map<IdGenerator, List<Empty>> wanted = new LinkedHashMap<>();
        // MyBatis puts a list under several names.
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        look(parameter, seen, wanted);
        wanted.forEach((ids, empty) -> {
            long[] numbers = new long[empty.size()];
            ids.fill(numbers);
            for (int i = 0; i < numbers.length; i++) {
                empty.get(i).field.write(empty.get(i).entity, numbers[i]);
            }
        });
    }

    private void look(Object value, Set<Object> seen, Map<IdGenerator, List<Empty>> wanted) {
        if (!seen.add(value)) {
            return;
        }
        if (value instanceof Map<?, ?> parameters) {
            parameters.values().forEach(one -> lookIfAny(one, seen, wanted));
        } else if (value instanceof Iterable<?> many && !(value instanceof Path)) {
            // A path would be looked into for ever: each of its elements is a path again.
            many.forEach(one -> lookIfAny(one, seen, wanted));
        } else if (value instanceof Object[] many) {
            for (Object one : many) {
                lookIfAny(one, seen, wanted);
            }
        } else {
            for (IdField field : fields.computeIfAbsent(value.getClass(), type -> IdField.of(type, named))) {
                if (field.isEmpty(value)) {
                    wanted.computeIfAbsent(field.ids(), ids -> new ArrayList<>())
                            .add(new Empty(value, field));
                }
            }
        }
    }

    private void lookIfAny(@Nullable Object value, Set<Object> seen, Map<IdGenerator, List<Empty>> wanted) {
        if (value != null) {
            look(value, seen, wanted);
        }
    }

    /** A field that waits for a number. */
    private record Empty(Object entity, IdField field) {}
}
