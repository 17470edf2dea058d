package dev.tenon.shardingsphere;

import dev.tenon.id.IdGenerator;
import java.util.Collection;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * ShardingSphere's key generator of the type {@code TENON}: fills a column that an {@code insert} leaves out. The
 * numbers of all rows of one statement are taken in one call. Properties:
 *
 * <ul>
 *   <li>{@code generators}: a class of the application, with a constructor without arguments, that is a
 *       {@code Function<String, IdGenerator>}; ShardingSphere makes it, once for each key generator,
 *   <li>{@code name}: which of its generators; by default that with the name of the table.
 * </ul>
 *
 * What the numbers promise is what their generator promises; its exceptions end the statement. Made by ShardingSphere.
 * Thread-safe once initialized.
 */
public final class TenonKeyGenerateAlgorithm implements KeyGenerateAlgorithm {
    private final ConcurrentMap<String, IdGenerator> known = new ConcurrentHashMap<>();
    private @Nullable Function<?, ?> generators;
    private @Nullable String name;

    /** For ShardingSphere, which initializes it next. */
    public TenonKeyGenerateAlgorithm() {}

    /**
     * Makes the application's generators.
     *
     * @throws IllegalArgumentException if there is no such class, or it is no such function
     */
    @Override
    public void init(Properties properties) {
        String type = properties.getProperty("generators", "");
        try {
            Object made =
                    Class.forName(type, true, loader()).getDeclaredConstructor().newInstance();
            generators = (Function<?, ?>) made;
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    "The key generator TENON needs the property \"generators\": a class with a constructor without arguments that"
                            + " is a Function<String, IdGenerator>, and not \"" + type + "\"",
                    e);
        }
        name = properties.getProperty("name");
    }

    /** The type in ShardingSphere's configuration. */
    @Override
    public String getType() {
        return "TENON";
    }

    /** As many numbers as there are rows. */
    @Override
    public Collection<Long> generateKeys(AlgorithmSQLContext context, int count) {
        String wanted = Objects.requireNonNullElse(name, context.getTableName());
        long[] numbers = new long[count];
        known.computeIfAbsent(wanted, this::require).fill(numbers);
        return LongStream.of(numbers).boxed().toList();
    }

    /** The keys come back by {@code getGeneratedKeys}. */
    @Override
    public boolean isSupportAutoIncrement() {
        return true;
    }

    private IdGenerator require(String wanted) {
        @SuppressWarnings("unchecked")
        Function<String, ?> named = (Function<String, ?>) Objects.requireNonNull(generators);
        if (named.apply(wanted) instanceof IdGenerator found) {
            return found;
        }
        throw new IllegalArgumentException(named.getClass().getName() + " has no generator \"" + wanted
                + "\", which a key generator TENON asks for");
    }

    private static ClassLoader loader() {
        return Objects.requireNonNullElse(
                Thread.currentThread().getContextClassLoader(), TenonKeyGenerateAlgorithm.class.getClassLoader());
    }
}
