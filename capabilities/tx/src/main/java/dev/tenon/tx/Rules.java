package dev.tenon.tx;

import dev.tenon.tx.at.AtRecovery;
import dev.tenon.tx.message.MessageRecovery;
import dev.tenon.tx.notify.NotifyRecovery;
import dev.tenon.tx.saga.SagaRecovery;
import dev.tenon.tx.spi.Recovery;
import dev.tenon.tx.tcc.TccRecovery;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What every part of one {@link Transactions} knows: the rules of each mode, and by which name the process claims. */
record Rules(String owner, Map<TransactionKind, Recovery> ofKind) {
    Rules {
        ofKind = Map.copyOf(ofKind);
    }

    /** The rules of every mode that there is. */
    static Rules ofAllModes(String owner) {
        Map<TransactionKind, Recovery> all = new EnumMap<>(TransactionKind.class);
        for (Recovery recovery : List.of(
                new SagaRecovery(),
                new TccRecovery(),
                new MessageRecovery(),
                new NotifyRecovery(),
                new TccRecovery(TransactionKind.XA),
                new AtRecovery())) {
            all.put(recovery.kind(), recovery);
        }
        return new Rules(owner, all);
    }

    Recovery of(TransactionKind kind) {
        Recovery recovery = ofKind.get(kind);
        if (recovery == null) {
            throw new IllegalArgumentException("Nobody here knows how " + kind.text() + " transactions go on");
        }
        return recovery;
    }
}
