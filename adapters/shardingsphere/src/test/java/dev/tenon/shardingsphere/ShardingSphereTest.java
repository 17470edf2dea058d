package dev.tenon.shardingsphere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** Over two H2, as the page has it. */
class ShardingSphereTest extends ShardingScenario {
    @Override
    List<Connection> connect() throws SQLException {
        return List.of(
                DriverManager.getConnection("jdbc:h2:mem:shop_0", "sa", ""),
                DriverManager.getConnection("jdbc:h2:mem:shop_1", "sa", ""));
    }

    @Override
    String over(String yaml) {
        return yaml;
    }

    @Test
    void whatIsWrongIsSaid() {
        refusedKeys(Map.of(), "needs the property \"generators\"");
        refusedKeys(Map.of("generators", "no.such.Class"), "no.such.Class");
        refusedKeys(Map.of("generators", "java.lang.Object"), "java.lang.Object");
        refusedGene(Map.of("id-columns", "a"), "1 to 16 bits: 0");
        refusedGene(Map.of("gene-bits", "four", "id-columns", "a"), "no number: four");
        refusedGene(Map.of("gene-bits", "4"), "\"id-columns\" or \"key-columns\"");
        refusedGene(Map.of("gene-bits", "4", "gene-shift", "4", "id-columns", "a"), "gene-shift is 0 to 3");

        GeneShardingAlgorithm gene = new GeneShardingAlgorithm();
        gene.init(properties(Map.of("gene-bits", "2", "id-columns", "id")));
        assertThatThrownBy(() -> gene.doSharding(List.of("t_0", "t_1", "t_2"), conditions(5L)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1, 2, 4 … 4 targets");
        assertThatThrownBy(() -> gene.doSharding(List.of("t_1", "t_2"), conditions(4L)))
                .hasMessageContaining("ends with the number 0");
        assertThatThrownBy(() -> gene.doSharding(List.of("t_0", "t_1"), conditions(4.5)))
                .hasMessageContaining("java.lang.Double");
        assertThat(gene.doSharding(List.of("t_0", "t_1"), conditions("7"))).containsExactly("t_1");
        assertThat(gene.doSharding(List.of("t_0"), conditions(7))).containsExactly("t_0");
    }

    private static org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingValue<Comparable<?>>
            conditions(Comparable<?> value) {
        return new org.apache.shardingsphere.sharding.api.sharding.complex.ComplexKeysShardingValue<>(
                "t", Map.of("ID", List.of(value)), Map.of());
    }

    private static void refusedKeys(Map<String, String> properties, String part) {
        assertThatThrownBy(() -> new TenonKeyGenerateAlgorithm().init(properties(properties)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part);
    }

    private static void refusedGene(Map<String, String> properties, String part) {
        assertThatThrownBy(() -> new GeneShardingAlgorithm().init(properties(properties)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(part);
    }

    private static Properties properties(Map<String, String> values) {
        Properties properties = new Properties();
        properties.putAll(values);
        return properties;
    }
}
