package dev.tenon.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.id.DefinitionConflictException;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.SegmentGenerator;
import dev.tenon.id.SegmentPolicy;
import dev.tenon.server.Node;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** IDs by name, made by the server. */
class ClientIdsTest {
    private static final Node NODE = Clients.memoryNode();
    private static final TenonClient TENON = Clients.of(NODE);

    private final String name = "ids-" + UUID.randomUUID();

    @AfterAll
    static void close() {
        TENON.close();
        NODE.close();
    }

    @Test
    void aDefinedNameGivesIdsOneByOneAndInBatches() {
        ClientIds ids = TENON.define(name, "{\"kind\":\"sequence\",\"start\":5}");
        assertThat(ids.next()).isEqualTo("5");
        assertThat(ids.next(3)).containsExactly("6", "7", "8");
        assertThat(ids.describe()).contains("\"sequence\"");
        assertThat(TENON.define(name, "{\"kind\":\"sequence\",\"start\":5}").next())
                .isEqualTo("9");
        assertThat(TENON.definitions().find(name)).isPresent();
    }

    @Test
    void whatIsWrongIsSaidAsWhatItIs() {
        TENON.define(name, "{\"kind\":\"sequence\",\"max\":2}");
        assertThatThrownBy(() -> TENON.define(name, "{\"kind\":\"uuid\"}"))
                .isInstanceOf(DefinitionConflictException.class)
                .hasMessageContaining("sequence");
        assertThat(TENON.ids(name).next(5)).containsExactly("1", "2");
        assertThatThrownBy(() -> TENON.ids(name).next()).isInstanceOf(RangeExhaustedException.class);
        assertThatThrownBy(() -> TENON.define(name, "{\"kind\":\"none\"}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("snowflake");
        assertThatThrownBy(() -> TENON.define(name, "hello")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TENON.ids("unheard-of").next())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unheard-of");
        assertThatThrownBy(() -> TENON.ids(name).next(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TENON.ids(name).next(ClientIds.COUNT_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TENON.ids(name).nextFor("user")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void anIdTellsWhatItIsMadeOf() {
        ClientIds ids = TENON.ids("default");
        assertThat(ids.decode(ids.next())).contains("\"snowflake\"");
        assertThatThrownBy(() -> ids.decode("x")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void secretsOfTheServerAreNotDefinitions() {
        TENON.define(name, "{\"kind\":\"segment\",\"public\":{\"type\":\"ord\"}}")
                .next();
        assertThat(TENON.definitions().all())
                .containsKey(name)
                .allSatisfy((key, text) -> assertThat(key).doesNotStartWith("/"));
        assertThatThrownBy(() -> TENON.definitions().find("/public-key/0"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TENON.definitions().putIfAbsent("/public-key/1", "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void moreDefinitionsThanFitOnePageAreAllListed() {
        for (int i = 0; i < 250; i++) {
            TENON.definitions().putIfAbsent("page-" + i, "{\"kind\":\"ulid\"}");
        }
        assertThat(TENON.definitions().all().keySet())
                .containsAll(LongStream.range(0, 250).mapToObj(i -> "page-" + i).toList());
    }

    @Test
    void idsAtHandAreGivenOnceByEightThreadsAndTheLastOnesToo() {
        ClientIds ids = TENON.define(name, "{\"kind\":\"sequence\",\"max\":20000}");
        LocalIds local = ids.local(500);
        List<Set<Long>> taken =
                IntStream.range(0, 8)
                        .mapToObj(thread -> CompletableFuture.supplyAsync(() -> allOf(local)))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();
        Set<Long> all = new HashSet<>();
        taken.forEach(all::addAll);
        assertThat(all).hasSize(20_000);
        assertThat(taken.stream().mapToInt(Set::size).sum()).isEqualTo(20_000);
    }

    private static Set<Long> allOf(LocalIds local) {
        Set<Long> mine = new HashSet<>();
        try {
            while (true) {
                mine.add(local.nextLong());
            }
        } catch (RangeExhaustedException e) {
            return mine;
        }
    }

    @Test
    void generatorsOfThisProcessCutTheirSegmentsFromTheServer() {
        List<Long> numbers = new ArrayList<>();
        try (SegmentGenerator one = SegmentGenerator.create(TENON.ranges(), name, SegmentPolicy.ofStep(100));
                SegmentGenerator two = SegmentGenerator.create(TENON.ranges(), name, SegmentPolicy.ofStep(100))) {
            for (int i = 0; i < 1000; i++) {
                numbers.add(one.nextId());
                numbers.add(two.nextId());
            }
        }
        assertThat(numbers).doesNotHaveDuplicates();
    }
}
