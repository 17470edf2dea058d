package dev.tenon.tx.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.tx.TransactionKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ModeRegistryTest {
    /** A kind without a protocol would be claimed by recovery, and never end. */
    @ParameterizedTest
    @EnumSource
    void hasTheProtocolOfEveryKind(TransactionKind kind) {
        assertThat(ModeRegistry.ofAllModes().of(kind).kind()).isEqualTo(kind);
    }
}
