package dev.tenon.jdbc.bank;

import dev.tenon.TimeSource;
import dev.tenon.testkit.crash.BankInvariant;
import dev.tenon.testkit.crash.BankInvariant.Account;
import dev.tenon.testkit.crash.BankInvariant.Ledger;
import dev.tenon.testkit.crash.CrashProcess;
import dev.tenon.testkit.crash.CrashScenario;
import dev.tenon.testkit.crash.LeftOpen;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Money is moved from an account in the first database to one in each of the others. */
abstract class BankScenario implements CrashScenario {
    static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Of what nobody but recovery ends: over as soon as that looks. */
    static final Duration SHORT = Duration.ofMillis(1);

    /** Longer than any claim or pause. */
    static final Duration LATER = Duration.ofMinutes(10);

    private static final int START = 100;

    final String world;
    final List<BankDatabase> databases;
    private final BankInvariant bank;
    private @Nullable TransactionState told;
    private int processes;

    BankScenario(String mode, String world, List<BankDatabase> databases) {
        this.world = mode + world;
        this.databases = databases;
        Map<Ledger, Long> totals = new LinkedHashMap<>();
        for (int i = 0; i < databases.size(); i++) {
            totals.put(
                    databases.get(i).ledger(this.world),
                    accounts(i).stream().mapToLong(BankScenario::start).sum());
        }
        bank = BankInvariant.of(totals);
    }

    private static long start(String account) {
        return account.equals("shop") || account.equals("sold") ? 0 : START;
    }

    @Override
    public void prepare() throws Exception {
        for (int i = 0; i < databases.size(); i++) {
            try (Connection connection = databases.get(i).source.getConnection()) {
                for (String name : accounts(i)) {
                    BankDatabase.update(
                            connection, "INSERT INTO account VALUES (?, ?, ?, 0)", world, name, start(name));
                }
            }
        }
    }

    List<String> accounts(int database) {
        return List.of(BankNode.account(database));
    }

    /** What must be true of it. */
    BankInvariant bank() {
        return bank;
    }

    BankNode node(CrashProcess process) {
        processes++;
        return new BankNode(process, world, databases);
    }

    /**
     * The clock of the first process is an hour ahead, and those of the others are an hour behind: nobody depends on
     * them.
     */
    TimeSource clock() {
        return new WrongClock(processes == 1 ? Duration.ofHours(1) : Duration.ofHours(-1));
    }

    TransactionOptions options() {
        return TransactionOptions.DEFAULT.withService(world).withTime(clock());
    }

    TransactionId gid() {
        return new TransactionId(world);
    }

    /** The log is in the first database, unless a mode has it elsewhere. */
    LeftOpen left() {
        return LeftOpen.in(databases.get(0).backend.transactions(), world);
    }

    /** What the process that acted has told its user before it ended. */
    void tell(TransactionState state) {
        told = state;
    }

    void tellTheEnd(Transactions transactions) throws InterruptedException {
        tell(transactions.await(gid(), PATIENCE).state());
    }

    /** The usual pass: what is open is due, is driven, and then nothing is open. */
    Pass pass(Transactions transactions) {
        LeftOpen left = left();
        return () -> {
            left.age(LATER);
            transactions.runOnce();
            return left.isNothing();
        };
    }

    @Override
    public void checkAtAnyMoment() throws Exception {
        bank.requireNothingNegative();
    }

    @Override
    public void checkAtTheEnd() throws Exception {
        bank.requireAtTheEnd();
        List<Long> gained = new ArrayList<>();
        for (int i = 1; i < databases.size(); i++) {
            gained.add(available(i, BankNode.account(i)) - START);
        }
        requireAllOrNothing(gained.stream().map(g -> g / BankNode.AMOUNT).toList());
    }

    /**
     * Its transactions are looked at no more, and would be in the way of those who look for open ones in other worlds.
     */
    @Override
    public void close() {
        try {
            for (BankDatabase database : databases) {
                database.forget(world);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    long available(int database, String name) throws Exception {
        return databases.get(database).ledger(world).accounts().stream()
                .filter(account -> account.name().equals(name))
                .mapToLong(Account::available)
                .sum();
    }

    /** @param times how often each effect has happened */
    void requireAllOrNothing(List<Long> times) {
        long first = times.get(0);
        if (times.stream().anyMatch(t -> t != first) || first != 0 && first != 1) {
            throw new AssertionError("All or nothing, and once; but: " + times);
        }
        if (told == TransactionState.COMMITTED && first != 1 || told == TransactionState.ABORTED && first != 0) {
            throw new AssertionError("Its user was told " + told + "; but: " + times);
        }
    }
}
