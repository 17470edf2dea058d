package dev.tenon.tx.engine;

import dev.tenon.tx.TransactionKind;
import dev.tenon.tx.at.AtProtocol;
import dev.tenon.tx.message.MessageProtocol;
import dev.tenon.tx.notify.NotifyProtocol;
import dev.tenon.tx.saga.SagaProtocol;
import dev.tenon.tx.spi.ModeProtocol;
import dev.tenon.tx.tcc.TccProtocol;
import java.util.EnumMap;
import java.util.Map;

/** The protocol of each mode, by kind: the one place that knows all modes. Immutable. */
final class ModeRegistry {
    private final Map<TransactionKind, ModeProtocol> protocols = new EnumMap<>(TransactionKind.class);

    private ModeRegistry(ModeProtocol... modes) {
        for (ModeProtocol mode : modes) {
            protocols.put(mode.kind(), mode);
        }
    }

    /**
     * Every mode, as recovery takes over what any process of the service has begun, and a process that has crashed may
     * have been the only one that used a mode.
     */
    static ModeRegistry ofAllModes() {
        return new ModeRegistry(
                new SagaProtocol(),
                new TccProtocol(),
                new MessageProtocol(),
                new NotifyProtocol(),
                new TccProtocol(TransactionKind.XA),
                new AtProtocol());
    }

    /**
     * The protocol of a kind.
     *
     * @throws IllegalArgumentException if none is registered
     */
    ModeProtocol of(TransactionKind kind) {
        ModeProtocol protocol = protocols.get(kind);
        if (protocol == null) {
            throw new IllegalArgumentException("No protocol is registered for " + kind.text() + " transactions");
        }
        return protocol;
    }
}
