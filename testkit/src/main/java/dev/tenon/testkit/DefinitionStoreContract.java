package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.Names;
import dev.tenon.id.spi.DefinitionStore;
import java.util.List;
import java.util.Optional;
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

    /**
     * A text that the store under test takes, another one for each {@code seed}; where it takes any text, the seed
     * itself.
     */
    protected String text(String seed) {
        return seed;
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
        String first = text("first");
        assertThat(store().putIfAbsent(name, first)).isEqualTo(first);
        assertThat(otherStore().putIfAbsent(name, text("second"))).isEqualTo(first);
        assertThat(store().putIfAbsent(name, first)).isEqualTo(first);
        assertThat(otherStore().find(name)).contains(first);
        assertThat(otherStore().all()).containsEntry(name, first);
    }

    @Test
    void aTextOfTheGreatestLengthComesBackAsItWas() {
        String text = text("\u00e4\u4E2D\uD83D\uDE00'%") + "\n\t ".repeat(100);
        text = text + " ".repeat(DefinitionStore.TEXT_LENGTH_MAX - text.length());
        store().putIfAbsent(name, text);
        assertThat(otherStore().find(name)).contains(text);
        assertThat(otherStore().all()).containsEntry(name, text);
    }

    @Test
    void namesAreToldApartExactly() {
        List<String> names =
                List.of(name + "a", name + "A", name + "a ", name + "á", name + "a%", name + "\uD83D\uDE00");
        names.forEach(n -> assertThat(store().putIfAbsent(n, text("of " + n.length() + n.hashCode())))
                .isEqualTo(text("of " + n.length() + n.hashCode())));
        names.forEach(n -> assertThat(otherStore().find(n)).contains(text("of " + n.length() + n.hashCode())));
        assertThat(otherStore()
                        .remove(
                                names.get(1),
                                text("of " + names.get(1).length()
                                        + names.get(1).hashCode())))
                .isTrue();
        assertThat(names.stream().filter(n -> store().find(n).isPresent()).toList())
                .containsExactly(names.get(0), names.get(2), names.get(3), names.get(4), names.get(5));
    }

    @Test
    void allAreInAscendingOrderOfNames() {
        List<String> names =
                List.of(name + "B", name + "a", name + "b", name + "é", name + "B1", name + "10", name + "9");
        names.forEach(n -> store().putIfAbsent(n, text("x")));
        assertThat(otherStore().all().keySet().stream()
                        .filter(n -> n.startsWith(name))
                        .toList())
                .containsExactlyElementsOf(names.stream().sorted().toList());
    }

    @Test
    void onlyWhoNamesTheTextReplacesIt() {
        String first = text("first");
        String second = text("second");
        assertThat(store().replace(name, first, second)).isFalse();
        assertThat(store().find(name)).isEmpty();
        store().putIfAbsent(name, first);
        for (String other : List.of(text("First"), text("first "), text("firs"), second)) {
            assertThat(otherStore().replace(name, other, second)).as(other).isFalse();
        }
        assertThat(store().find(name)).contains(first);
        assertThat(otherStore().replace(name, first, second)).isTrue();
        assertThat(store().find(name)).contains(second);
        assertThat(store().putIfAbsent(name, first)).isEqualTo(second);
        assertThat(store().replace(name, first, text("third"))).isFalse();
        assertThat(store().replace(name, second, second)).isTrue();
        assertThat(otherStore().all()).containsEntry(name, second);
    }

    @Test
    void onlyWhoNamesTheTextRemovesIt() {
        String first = text("first");
        assertThat(store().remove(name, first)).isFalse();
        store().putIfAbsent(name, first);
        for (String other : List.of(text("First"), text("first "), text("firs"), text("second"))) {
            assertThat(otherStore().remove(name, other)).as(other).isFalse();
        }
        assertThat(store().find(name)).contains(first);
        assertThat(otherStore().remove(name, first)).isTrue();
        assertThat(store().find(name)).isEmpty();
        assertThat(store().all()).doesNotContainKey(name);
        assertThat(store().remove(name, first)).isFalse();
        assertThat(store().putIfAbsent(name, text("second"))).isEqualTo(text("second"));
        assertThat(otherStore().find(name)).contains(text("second"));
    }

    @Test
    void badArgumentsAreRefusedAndStoreNothing() {
        String text = text("x");
        for (String bad : List.of("", "a\nb", "x".repeat(Names.LENGTH_MAX + 1), "\uD83D")) {
            assertThatThrownBy(() -> store().putIfAbsent(bad, text)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().find(bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().replace(bad, text, text)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().remove(bad, text)).isInstanceOf(IllegalArgumentException.class);
        }
        for (String bad : List.of("", "x".repeat(DefinitionStore.TEXT_LENGTH_MAX + 1), text + "\0", text + "\uD83D")) {
            assertThatThrownBy(() -> store().putIfAbsent(name, bad)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store().replace(name, text, bad)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThat(store().find(name)).isEmpty();
    }

    @Test
    void ofEightDefinitionsAtOnceOneWinsForAll() {
        List<String> answers = Concurrently.on(
                THREADS, i -> (i % 2 == 0 ? store() : otherStore()).putIfAbsent(name, text("definition " + i)));
        assertThat(answers.stream().distinct())
                .containsExactly(store().find(name).orElseThrow());
    }

    @Test
    void ofEightChangesAtOnceOneWins() {
        String before = text("before");
        store().putIfAbsent(name, before);
        List<Boolean> answers = Concurrently.on(THREADS, i -> {
            DefinitionStore any = i % 2 == 0 ? store() : otherStore();
            return i < THREADS / 2 ? any.replace(name, before, text("after " + i)) : any.remove(name, before);
        });
        assertThat(answers).containsOnlyOnce(true);
        int winner = answers.indexOf(true);
        assertThat(store().find(name))
                .isEqualTo(winner < THREADS / 2 ? Optional.of(text("after " + winner)) : Optional.empty());
    }
}
