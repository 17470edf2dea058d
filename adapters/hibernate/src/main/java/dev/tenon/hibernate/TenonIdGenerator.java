package dev.tenon.hibernate;

import dev.tenon.id.IdGenerator;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.math.BigInteger;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.LongFunction;
import org.hibernate.MappingException;
import org.hibernate.engine.config.spi.ConfigurationService;
import org.hibernate.engine.spi.SharedSessionContractImplementor;
import org.hibernate.generator.AnnotationBasedGenerator;
import org.hibernate.generator.BeforeExecutionGenerator;
import org.hibernate.generator.EventType;
import org.hibernate.generator.EventTypeSets;
import org.hibernate.generator.GeneratorCreationContext;
import org.jspecify.annotations.Nullable;

/**
 * What {@link TenonId} does, one for each identifier. Made and initialized by Hibernate, of which version 6 asks for a
 * public class; nothing for others to call. Thread-safe once initialized.
 */
public final class TenonIdGenerator implements BeforeExecutionGenerator, AnnotationBasedGenerator<TenonId> {
    private static final Map<Class<?>, LongFunction<Object>> FORMS = Map.of(
            long.class, number -> number,
            Long.class, number -> number,
            int.class, Math::toIntExact,
            Integer.class, Math::toIntExact,
            BigInteger.class, BigInteger::valueOf,
            String.class, Long::toString);

    private final transient ReentrantLock lock = new ReentrantLock();
    private transient @Nullable IdGenerator ids;
    private transient @Nullable LongFunction<Object> form;
    private transient long[] batch = {};
    private transient int used;

    /** For Hibernate, which initializes it next. */
    public TenonIdGenerator() {}

    /**
     * Finds the generator. The way that Hibernate 6 and 7 share; 7.4 has another one beside it, which by default comes
     * here.
     *
     * @throws MappingException if there is no such generator, or the identifier is of no type that can have its numbers
     */
    @Override
    @SuppressWarnings("removal")
    public void initialize(TenonId asked, Member member, GeneratorCreationContext context) {
        String where = "@TenonId(\"" + asked.value() + "\") on "
                + member.getDeclaringClass().getName() + "." + member.getName();
        if (asked.batch() < 1 || asked.batch() > TenonId.BATCH_MAX) {
            throw new MappingException(
                    where + ": a batch has 1 to " + TenonId.BATCH_MAX + " numbers: " + asked.batch());
        }
        Class<?> type = member instanceof Field field ? field.getType() : ((Method) member).getReturnType();
        LongFunction<Object> found = FORMS.get(type);
        if (found == null) {
            throw new MappingException(
                    where + ": the identifier is a long, int, BigInteger or String, and not a " + type.getName());
        }
        form = found;
        ids = generator(asked.value(), where, context);
        batch = new long[asked.batch()];
        used = batch.length;
    }

    /** The next number, in the form of the attribute. Throws as the generator does. */
    @Override
    public Object generate(
            SharedSessionContractImplementor session,
            Object owner,
            @Nullable Object currentValue,
            EventType eventType) {
        return Objects.requireNonNull(form).apply(next());
    }

    /** On insert only. */
    @Override
    public EnumSet<EventType> getEventTypes() {
        return EventTypeSets.INSERT_ONLY;
    }

    private long next() {
        IdGenerator source = Objects.requireNonNull(ids);
        if (batch.length == 1) {
            return source.nextId();
        }
        lock.lock();
        try {
            if (used == batch.length) {
                source.fill(batch); // throws: nothing of it is used
                used = 0;
            }
            return batch[used++];
        } finally {
            lock.unlock();
        }
    }

    private static IdGenerator generator(String name, String where, GeneratorCreationContext context) {
        Object setting = Objects.requireNonNull(context.getServiceRegistry().getService(ConfigurationService.class))
                .getSettings()
                .get(TenonId.GENERATORS);
        if (!(setting instanceof Function<?, ?>)) {
            throw new MappingException(where + ": Hibernate's setting \"" + TenonId.GENERATORS
                    + "\" is to be a Function<String, IdGenerator>, and is "
                    + (setting == null ? "missing" : "a " + setting.getClass().getName())
                    + ". Give it to Persistence.createEntityManagerFactory, or add tenon-spring-boot-starter");
        }
        @SuppressWarnings("unchecked")
        Object answer = ((Function<Object, ?>) setting).apply(name);
        if (answer instanceof IdGenerator found) {
            return found;
        }
        throw new MappingException(where + ": there is no generator of this name");
    }
}
