package dev.tenon.id.standard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The lists of valid and invalid TypeIDs of the specification, version 0.3, by their names there. */
class TypeIdTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "nil, 00000000000000000000000000, '', 00000000-0000-0000-0000-000000000000",
        "one, 00000000000000000000000001, '', 00000000-0000-0000-0000-000000000001",
        "ten, 0000000000000000000000000a, '', 00000000-0000-0000-0000-00000000000a",
        "sixteen, 0000000000000000000000000g, '', 00000000-0000-0000-0000-000000000010",
        "thirty-two, 00000000000000000000000010, '', 00000000-0000-0000-0000-000000000020",
        "max-valid, 7zzzzzzzzzzzzzzzzzzzzzzzzz, '', ffffffff-ffff-ffff-ffff-ffffffffffff",
        "valid-alphabet, prefix_0123456789abcdefghjkmnpqrs, prefix, 0110c853-1d09-52d8-d73e-1194e95b5f19",
        "valid-uuidv7, prefix_01h455vb4pex5vsknk084sn02q, prefix, 01890a5d-ac96-774b-bcce-b302099a8057",
        "prefix-underscore, pre_fix_00000000000000000000000000, pre_fix, 00000000-0000-0000-0000-000000000000"
    })
    void readsAndWritesTheValidOnes(String name, String text, String prefix, UUID uuid) {
        assertThat(TypeId.parse(text)).isEqualTo(new TypeId(prefix, uuid));
        assertThat(new TypeId(prefix, uuid)).hasToString(text);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "prefix-uppercase, PREFIX_00000000000000000000000000",
                "prefix-numeric, 12345_00000000000000000000000000",
                "prefix-period, pre.fix_00000000000000000000000000",
                "prefix-non-ascii, préfix_00000000000000000000000000",
                "prefix-spaces, \"  prefix_00000000000000000000000000\"",
                "prefix-64-chars, abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijkl_00000000000000000000000000",
                "separator-empty-prefix, _00000000000000000000000000",
                "separator-empty, _",
                "suffix-short, prefix_1234567890123456789012345",
                "suffix-long, prefix_123456789012345678901234567",
                "suffix-spaces, \"prefix_1234567890123456789012345 \"",
                "suffix-uppercase, prefix_0123456789ABCDEFGHJKMNPQRS",
                "suffix-hyphens, prefix_123456789-123456789-123456",
                "suffix-wrong-alphabet, prefix_ooooooiiiiiiuuuuuuulllllll",
                "suffix-ambiguous-crockford, prefix_i23456789ol23456789oi23456",
                "suffix-hyphens-crockford, prefix_123456789-0123456789-0123456",
                "suffix-overflow, prefix_8zzzzzzzzzzzzzzzzzzzzzzzzz",
                "prefix-underscore-start, _prefix_00000000000000000000000000",
                "prefix-underscore-end, prefix__00000000000000000000000000",
                "empty, \"\"",
                "least-overflow, 80000000000000000000000000"
            })
    void refusesTheInvalidOnes(String name, String text) {
        assertThatThrownBy(() -> TypeId.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"User", "user1", "us er", "_user", "user_", "_", "usér"})
    void refusesABadPrefix(String prefix) {
        assertThatThrownBy(() -> new TypeId(prefix, Rfc9562.NIL)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> TypeIdGenerator.create(prefix)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aPrefixHasUpTo63Characters() {
        assertThat(new TypeId("a".repeat(63), Rfc9562.NIL).toString()).hasSize(90);
        assertThatThrownBy(() -> new TypeId("a".repeat(64), Rfc9562.NIL)).hasMessageContaining("63");
    }

    @Test
    void refusesAnotherType() {
        TypeId user = TypeIdGenerator.create("user").nextTypeId();
        assertThat(TypeId.parse("user", user.toString())).isEqualTo(user);
        assertThatThrownBy(() -> TypeId.parse("order", user.toString())).hasMessageContaining("another type");
    }

    @Test
    void newOnesAreOfVersion7AndAscend() {
        TypeIdGenerator ids = TypeIdGenerator.create("user");
        TypeId last = ids.nextTypeId();
        assertThat(last.uuid().version()).isEqualTo(7);
        for (int i = 0; i < 1000; i++) {
            TypeId next = ids.nextTypeId();
            assertThat(next).isGreaterThan(last);
            assertThat(next.toString()).isGreaterThan(last.toString());
            last = next;
        }
    }

    @Property
    void readsWhatItWrites(@ForAll long high, @ForAll long low) {
        TypeId id = new TypeId("some_type", new UUID(high, low));
        assertThat(TypeId.parse(id.toString())).isEqualTo(id);
        assertThat(id.suffix()).hasSize(26);
    }
}
