package dev.tenon.shardingsphere;

import dev.tenon.id.Gene;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingAlgorithm;
import org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingValue;
import org.jspecify.annotations.Nullable;

/**
 * ShardingSphere's sharding algorithm of the type {@code TENON_GENE}, for a complex strategy: routes by the
 * {@link Gene} of an ID, and by the key that the gene was made from, so that an order is found on one shard by its own
 * number alone, and by its user's. Properties:
 *
 * <ul>
 *   <li>{@code gene-bits}: as the {@link dev.tenon.id.GeneGenerator} of these IDs has them,
 *   <li>{@code id-columns}, {@code key-columns}: names, by commas; columns with IDs, and columns with keys,
 *   <li>{@code gene-shift}: how many of the lowest bits to pass over, 0 by default: those that choose the database,
 *       where this one chooses the table in it.
 * </ul>
 *
 * The target is that whose name ends with the shard's number modulo the number of targets, which is a power of two:
 * {@code t_order_0} to {@code t_order_3}. Where a statement has both, the ID decides. A statement with a range, or with
 * neither, goes to all targets. Made by ShardingSphere. Thread-safe once initialized.
 */
public final class GeneShardingAlgorithm implements ComplexKeysShardingAlgorithm<Comparable<?>> {
    private static final Pattern NUMBER_AT_THE_END = Pattern.compile("(\\d+)\\D*$");

    private @Nullable Gene gene;
    private int shift;
    private List<String> idColumns = List.of();
    private List<String> keyColumns = List.of();

    /** For ShardingSphere, which initializes it next. */
    public GeneShardingAlgorithm() {}

    /**
     * Reads the properties.
     *
     * @throws IllegalArgumentException if one is missing, or out of bounds
     */
    @Override
    public void init(Properties properties) {
        gene = new Gene(number(properties, "gene-bits", "0"));
        shift = number(properties, "gene-shift", "0");
        if (shift < 0 || shift >= gene.bits()) {
            throw new IllegalArgumentException(
                    "gene-shift is 0 to " + (gene.bits() - 1) + ", as gene-bits is " + gene.bits() + ": " + shift);
        }
        idColumns = names(properties, "id-columns");
        keyColumns = names(properties, "key-columns");
        if (idColumns.isEmpty() && keyColumns.isEmpty()) {
            throw new IllegalArgumentException("TENON_GENE needs the property \"id-columns\" or \"key-columns\"");
        }
    }

    /** The type in ShardingSphere's configuration. */
    @Override
    public String getType() {
        return "TENON_GENE";
    }

    /**
     * Where a statement goes.
     *
     * @throws IllegalArgumentException if the targets are not as many as the gene can tell apart, or a value is neither
     *     a number nor text
     */
    @Override
    public Collection<String> doSharding(
            Collection<String> targets, ComplexKeysShardingValue<Comparable<?>> conditions) {
        requirePowerOfTwo(targets);
        Gene of = Objects.requireNonNull(gene);
        Set<Integer> shards = shards(idColumns, conditions, value -> of.shardOf(id(value)));
        if (shards.isEmpty()) {
            shards = shards(keyColumns, conditions, value -> shardFor(of, value));
        }
        if (shards.isEmpty()) {
            return targets;
        }
        Set<String> chosen = new LinkedHashSet<>();
        shards.forEach(shard -> chosen.add(target(targets, (shard >> shift) % targets.size())));
        return chosen;
    }

    /** Those that every column with values allows; if none is left, those of the last, where nothing will be found. */
    private static Set<Integer> shards(
            List<String> columns,
            ComplexKeysShardingValue<Comparable<?>> conditions,
            ToIntFunction<Comparable<?>> shardOf) {
        Set<Integer> common = new TreeSet<>();
        conditions.getColumnNameAndShardingValuesMap().forEach((column, values) -> {
            if (columns.stream().anyMatch(column::equalsIgnoreCase)) {
                Set<Integer> here = new TreeSet<>();
                values.forEach(value -> here.add(shardOf.applyAsInt(value)));
                if (common.isEmpty() || !common.retainAll(here) || common.isEmpty()) {
                    common.addAll(here);
                }
            }
        });
        return common;
    }

    private void requirePowerOfTwo(Collection<String> targets) {
        int max = 1 << (Objects.requireNonNull(gene).bits() - shift);
        if (Integer.bitCount(targets.size()) != 1 || targets.size() > max) {
            throw new IllegalArgumentException(
                    "TENON_GENE routes to 1, 2, 4 … " + max + " targets, and not to " + targets);
        }
    }

    private static String target(Collection<String> targets, int index) {
        for (String target : targets) {
            Matcher number = NUMBER_AT_THE_END.matcher(target);
            if (number.find() && Integer.parseInt(number.group(1)) == index) {
                return target;
            }
        }
        throw new IllegalArgumentException("No target ends with the number " + index + ": " + targets);
    }

    private static long id(Comparable<?> value) {
        return value instanceof CharSequence text ? Long.parseLong(text.toString()) : whole(value);
    }

    private static int shardFor(Gene gene, Comparable<?> key) {
        return key instanceof CharSequence text ? gene.shardFor(text) : gene.shardFor(whole(key));
    }

    private static long whole(Comparable<?> value) {
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger big) {
            return big.longValueExact();
        }
        if (value instanceof BigDecimal big) {
            return big.longValueExact();
        }
        throw new IllegalArgumentException("TENON_GENE routes by whole numbers and text, and not by a "
                + value.getClass().getName());
    }

    private static int number(Properties properties, String name, String otherwise) {
        String text = String.valueOf(properties.getOrDefault(name, otherwise));
        try {
            return Integer.parseInt(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("The property \"" + name + "\" of TENON_GENE is no number: " + text, e);
        }
    }

    private static List<String> names(Properties properties, String name) {
        return Stream.of(properties.getProperty(name, "").split(","))
                .map(String::strip)
                .filter(one -> !one.isEmpty())
                .toList();
    }
}
