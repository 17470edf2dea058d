package dev.tenon.jdbc.bank;

import dev.tenon.testkit.crash.CrashScenario;
import java.util.List;

/** Every way to move money. */
enum BankMode {
    SAGA((world, databases) -> new SagaBank(world, databases, false)),
    SAGA_REFUSED((world, databases) -> new SagaBank(world, databases, true)),
    TCC((world, databases) -> new TccBank(world, databases, false)),
    TCC_REFUSED((world, databases) -> new TccBank(world, databases, true)),
    MESSAGE((world, databases) -> new MessageBank(world, databases, false)),
    MESSAGE_AT_ONCE((world, databases) -> new MessageBank(world, databases, true)),
    RELIABLE_MESSAGE(ReliableBank::new),
    XA(XaBank::new),
    AT(AtBank::new),
    NOTIFICATION(NotifyBank::new);

    private interface Maker {
        CrashScenario make(String world, List<BankDatabase> databases);
    }

    private final Maker maker;

    BankMode(Maker maker) {
        this.maker = maker;
    }

    CrashScenario.Factory in(List<BankDatabase> databases) {
        return world -> maker.make(world, databases);
    }
}
