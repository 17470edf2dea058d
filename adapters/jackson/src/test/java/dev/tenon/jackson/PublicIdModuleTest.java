package dev.tenon.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;

/** The annotation in the mappers of both lines of Jackson, as an application makes them. */
class PublicIdModuleTest {
    private static final dev.tenon.id.codec.PublicId CODEC =
            dev.tenon.id.codec.PublicId.builder("ord").key(1, new byte[32]).build();
    private static final String NUMBER_17 = CODEC.encode(17);
    private static final String NUMBER_18 = CODEC.encode(18);

    // tag::record[]
    record Order(
            @PublicId("order") long id,
            @PublicId("order") @Nullable Long before,
            @PublicId("order") List<Long> together,
            long pieces) {}
    // end::record[]

    /** With properties that Jackson sets. */
    static final class Bean {
        private long id;

        @PublicId("order")
        public Long @Nullable [] array;

        @PublicId("order")
        public @Nullable Map<String, Long> map;

        public long getId() {
            return id;
        }

        @PublicId("order")
        public void setId(long id) {
            this.id = id;
        }
    }

    record WrongType(@PublicId("order") String id) {}

    record WrongArray(@PublicId("order") long[] ids) {}

    record WrongName(@PublicId("ordre") long id) {}

    /** The same calls of both. */
    enum Line {
        JACKSON_3 {
            private final ObjectMapper mapper = mapper3(PublicIdModuleTest::named);

            @Override
            String write(Object value) {
                return mapper.writeValueAsString(value);
            }

            @Override
            <T> T read(String json, Class<T> type) {
                return mapper.readValue(json, type);
            }
        },
        JACKSON_2 {
            private final com.fasterxml.jackson.databind.ObjectMapper mapper = mapper2(PublicIdModuleTest::named);

            @Override
            String write(Object value) throws Exception {
                return mapper.writeValueAsString(value);
            }

            @Override
            <T> T read(String json, Class<T> type) throws Exception {
                return mapper.readValue(json, type);
            }
        };

        abstract String write(Object value) throws Exception;

        abstract <T> T read(String json, Class<T> type) throws Exception;
    }

    private static ObjectMapper mapper3(Function<String, dev.tenon.id.codec.PublicId> publicIds) {
        // tag::mapper[]
        ObjectMapper mapper =
                JsonMapper.builder().addModule(PublicIdModule.over(publicIds)).build();
        // end::mapper[]
        return mapper;
    }

    private static com.fasterxml.jackson.databind.ObjectMapper mapper2(
            Function<String, dev.tenon.id.codec.PublicId> publicIds) {
        return com.fasterxml.jackson.databind.json.JsonMapper.builder()
                .addModule(PublicIdModule2.over(publicIds))
                .build();
    }

    private static dev.tenon.id.codec.PublicId named(String name) {
        if (!name.equals("order")) {
            throw new IllegalArgumentException("There are no public IDs " + name);
        }
        return CODEC;
    }

    @ParameterizedTest
    @EnumSource
    void goesOutAsTextAndComesInAgain(Line line) throws Exception {
        Order order = new Order(17, 18L, List.of(18L, 17L), 3);

        String json = line.write(order);

        assertThat(json)
                .isEqualTo("{\"id\":\"" + NUMBER_17 + "\",\"before\":\"" + NUMBER_18 + "\",\"together\":[\"" + NUMBER_18
                        + "\",\"" + NUMBER_17 + "\"],\"pieces\":3}");
        assertThat(line.read(json, Order.class)).isEqualTo(order);
    }

    @ParameterizedTest
    @EnumSource
    void nullStaysNull(Line line) throws Exception {
        Order order = new Order(17, null, List.of(), 3);

        assertThat(line.write(order)).contains("\"before\":null");
        assertThat(line.read(line.write(order), Order.class)).isEqualTo(order);
    }

    @ParameterizedTest
    @EnumSource
    void isReadFromSettersArraysAndMaps(Line line) throws Exception {
        Bean bean = line.read(
                "{\"id\":\"" + NUMBER_17 + "\",\"array\":[\"" + NUMBER_18 + "\"],\"map\":{\"a\":\"" + NUMBER_17
                        + "\"}}",
                Bean.class);

        assertThat(bean.getId()).isEqualTo(17);
        assertThat(bean.array).containsExactly(18L);
        assertThat(bean.map).containsExactly(Map.entry("a", 17L));
        assertThat(line.write(bean)).doesNotContain("17", "18").contains(NUMBER_17, NUMBER_18);
    }

    @ParameterizedTest
    @ValueSource(strings = {"17", "\"17\"", "\"\"", "\"usr_2EFawSzpJANfj\"", "true", "{}", "[]", "1.5"})
    void whatIsNoSuchTextIsRefused(String value) {
        String json = "{\"id\":" + value + ",\"before\":null,\"together\":[],\"pieces\":3}";
        String inside = "{\"id\":\"" + NUMBER_17 + "\",\"before\":null,\"together\":[" + value + "],\"pieces\":3}";

        for (Line line : Line.values()) {
            assertThatThrownBy(() -> line.read(json, Order.class)).hasMessageContaining("[\"id\"]");
            assertThatThrownBy(() -> line.read(inside, Order.class)).hasMessageContaining("[\"together\"]");
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatItCantBeOnIsSaid(Line line) {
        assertThatThrownBy(() -> line.write(new WrongType("17"))).hasMessageContaining("@PublicId is on");
        assertThatThrownBy(() -> line.read("{\"id\":\"17\"}", WrongType.class))
                .hasMessageContaining("it can be on a long");
        assertThatThrownBy(() -> line.write(new WrongArray(new long[] {17}))).hasMessageContaining("array of Long");
        assertThatThrownBy(() -> line.write(new WrongName(17))).hasMessageContaining("There are no public IDs ordre");
    }
}
