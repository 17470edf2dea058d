package dev.tenon.testkit.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * That money is neither made nor lost: remembers what there was in the accounts of one or several databases, and asks
 * again later. "Money" is whatever can be counted and reserved: stock, seats, points. Immutable; as thread-safe as its
 * ledgers.
 */
public final class BankInvariant {
    private final List<Ledger> ledgers;
    private final List<Long> totals;

    private BankInvariant(List<Ledger> ledgers, List<Long> totals) {
        this.ledgers = ledgers;
        this.totals = totals;
    }

    /**
     * What is in one account.
     *
     * @param name unique in its ledger
     * @param available what can be spent
     * @param reserved what is set aside, and neither spent nor free
     */
    public record Account(String name, long available, long reserved) {
        public Account {
            Objects.requireNonNull(name, "name");
        }

        long total() {
            return Math.addExact(available, reserved);
        }
    }

    /** The accounts of one database. Thread-safe. */
    @FunctionalInterface
    public interface Ledger {
        /** Reads all of them as they are at one moment: with one statement. */
        List<Account> accounts() throws Exception;
    }

    /** What holds from now on. */
    public static BankInvariant of(Ledger... ledgers) throws Exception {
        List<Long> totals = new ArrayList<>();
        for (Ledger ledger : ledgers) {
            totals.add(total(ledger.accounts()));
        }
        return new BankInvariant(List.of(ledgers), List.copyOf(totals));
    }

    /**
     * As {@link #of(Ledger...)}, for ledgers of which it is known what was in them: after the JVM that remembered was
     * killed.
     */
    public static BankInvariant of(Map<Ledger, Long> totals) {
        return new BankInvariant(List.copyOf(totals.keySet()), List.copyOf(totals.values()));
    }

    private static long total(List<Account> accounts) {
        return accounts.stream().mapToLong(Account::total).sum();
    }

    /**
     * Nothing is negative. Holds at every moment, in every mode.
     *
     * @throws AssertionError if it does not
     */
    public void requireNothingNegative() throws Exception {
        for (Ledger ledger : ledgers) {
            requireNothingNegative(ledger.accounts());
        }
    }

    private static void requireNothingNegative(List<Account> accounts) {
        for (Account account : accounts) {
            if (account.available() < 0 || account.reserved() < 0) {
                throw new AssertionError("Less than nothing: " + account);
            }
        }
    }

    /**
     * In each ledger, available and reserved together are what they were, and nothing is negative. Holds at every
     * moment of a TCC that turns reservations into what other accounts of the same ledger have.
     *
     * @throws AssertionError if it does not
     */
    public void requireEachLedgerAsItWas() throws Exception {
        for (int i = 0; i < ledgers.size(); i++) {
            List<Account> accounts = ledgers.get(i).accounts();
            requireNothingNegative(accounts);
            requireSame("A ledger", totals.get(i), total(accounts), accounts);
        }
    }

    /**
     * All ledgers together have what they had, nothing is reserved any more, and nothing is negative. Holds when
     * everything has ended, in every mode.
     *
     * @throws AssertionError if it does not
     */
    public void requireAtTheEnd() throws Exception {
        List<Account> all = new ArrayList<>();
        for (Ledger ledger : ledgers) {
            all.addAll(ledger.accounts());
        }
        requireNothingNegative(all);
        requireSame("The bank", totals.stream().mapToLong(Long::longValue).sum(), total(all), all);
        all.stream().filter(account -> account.reserved() != 0).findFirst().ifPresent(account -> {
            throw new AssertionError("A reservation has outlived its transaction: " + account);
        });
    }

    private static void requireSame(String whose, long then, long now, List<Account> accounts) {
        if (then != now) {
            throw new AssertionError(whose + " had " + then + " and has " + now + ": " + accounts);
        }
    }
}
