package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link DefinitionStore} must do. A backend's test extends it and supplies the store; names are fresh in
 * every test, so that one store may serve them all.
 */
public abstract class DefinitionStoreContract {
    private static final int THREADS = 8;

    private String name = "";

    /** The store under test, as one process has it. */
    protected abstract DefinitionStore store();

    /** The same definitions, as another process has them; the same store where there can be no other process. */
    protected DefinitionStore otherStore() {
        return store();
    }

    @BeforeEach
    void chooseName() {
        name = "contract:" + UUID.randomUUID();
    }

    @Test
    void aNameThatWasNeverDefinedHasNothing() {
        assertThat(store().find(name)).isEmpty();
        assertThat(store().all()).doesNotContainKey(name);
    }

    @Test
    void theFirstDefinitionStays() {
        assertThat(store().putIfAbsent(name, "first")).isEqualTo("first");
        assertThat(otherStore().putIfAbsent(name, "second")).isEqualTo("first");
        assertThat(store().putIfAbsent(name, "first")).isEqualTo("first");
        assertThat(otherStore().find(name)).contains("first");
        assertThat(otherStore().all()).containsEntry(name, "first");
    }

    @Test
    void aTextOfTheGreatestLengthComesBackAsItWas() {
        String text = "{\"ä\u4E2D\uD83D\uDE00\\'%\n\t\"}" + " ".repeat(100);
        text = text + "\u4E2D".repeat(DefinitionStore.TEXT_LENGTH_MAX - text.length());
        store().putIfAbsent(name, text);
        assertThat(otherStore().find(name)).contains(text);
        assertThat(otherStore().all()).containsEntry(name, text);
    }

    @Test
    void namesAreToldApartExactly() {
        List<String> names =
                List.of(name + "a", name + "A", name + "a ", name + "á", name + "a%", name + "\uD83D\uDE00");
        names.forEach(n -> assertThat(store().putIfAbsent(n, "of " + n)).isEqualTo("of " + n));
        names.forEach(n -> assertThat(otherStore().find(n)).contains("of " + n));
    }

    @Test
    void allAreInAscendingOrderOfNames() {
        List<String> names =
                List.of(name + "B", name + "a", name + "b", name + "é", name + "B1", name + "10", name + "9");
        names.forEach(n -> store().putIfAbsent(n, "x"));
        assertThat(otherStore().all().keySet().stream()
                        .filter(n -> n.startsWith(name))
                        .toList())
                .containsExactlyElementsOf(names.stream().sorted().toList());
    }

    @Test
    void badArgumentsAreRefusedAndStoreNothing() {
        for (String bad : List.of("", "a\nb", "x".repeat(Names.LENGTH_MAX + 1), "\uD83D")) {
            assertThatThrownBy(() -> store().putIfAbsent(bad, "x")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().find(bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> store().putIfAbsent(name, "")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> store().putIfAbsent(name, "x".repeat(DefinitionStore.TEXT_LENGTH_MAX + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(store().find(name)).isEmpty();
    }

    @Test
    void ofEightDefinitionsAtOnceOneWinsForAll() {
        List<String> answers = Concurrently.on(
                THREADS, i -> (i % 2 == 0 ? store() : otherStore()).putIfAbsent(name, "definition " + i));
        assertThat(answers.stream().distinct())
                .containsExactly(store().find(name).orElseThrow());
    }
}
