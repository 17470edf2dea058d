package dev.tenon.raft.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each class of this package bends Ratis, and has a test of that. */
class BendsTest {
    /** What they need to speak to the rest. */
    private static final Set<String> OTHERS = Set.of("Followers", "FolderListener", "package-info");

    @Test
    void eachBendHasATestOfItsReason() throws Exception {
        Set<String> bends = new TreeSet<>(namesBeside(ClusterRpc.class));
        bends.removeAll(OTHERS);

        assertThat(namesBeside(getClass()).stream()
                        .filter(name -> name.endsWith("BendTest"))
                        .map(name -> name.substring(0, name.length() - "BendTest".length())))
                .hasSameElementsAs(bends);
    }

    private static Set<String> namesBeside(Class<?> type) throws Exception {
        Path root =
                Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.list(root.resolve(type.getPackageName().replace('.', '/')))) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".class") && !name.contains("$"))
                    .map(name -> name.substring(0, name.length() - ".class".length()))
                    .collect(Collectors.toSet());
        }
    }
}
