package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.testkit.crash.BankInvariant;
import dev.tenon.testkit.crash.BankInvariant.Account;
import dev.tenon.testkit.crash.BankInvariant.Ledger;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Operation;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every participant of TCC must do, yours too: whatever the order in which try, confirm and cancel come, how
 * often, and how many at the same time, a reservation is made once, becomes the effect once or is given back once, and
 * at every moment what is available and reserved together is what it was. A test of yours extends it and supplies the
 * participant and what is in its accounts: enough for a hundred transactions, which no one else uses meanwhile.
 *
 * <p>The orders are those that a coordinator and a network can make: confirm comes only after a try was done, never
 * beside a cancel, and the last cancel or confirm is repeated until it is done.
 */
public abstract class TccParticipantContract {
    private static final int LENGTH_MAX = 4;
    private static final int ROUNDS = 5;
    private static final int ATTEMPTS_MAX = 30;

    /**
     * The participant under test.
     *
     * @param isolation level of its local transactions, a constant of {@link Connection}; one that leaves that to its
     *     pool runs everything twice
     */
    protected abstract Participant participant(int isolation);

    /** The accounts that its reservations are made in, and those that they end up in. */
    protected abstract Ledger ledger();

    /** What each call is given: reserves something. */
    protected abstract String payload();

    private static TransactionId fresh() {
        return new TransactionId("contract-" + UUID.randomUUID());
    }

    private BranchCall call(TransactionId gid, Operation operation) {
        return new BranchCall(gid, "branch", operation, "target", payload(), Map.of(), 1);
    }

    /** As a coordinator calls: again, if nobody knows what became of it. */
    private Reply reply(int isolation, TransactionId gid, Operation operation) throws Exception {
        for (int attempt = 1; ; attempt++) {
            try {
                return participant(isolation).call(call(gid, operation));
            } catch (Exception e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** The words of these letters, up to the greatest length. */
    private static List<List<Operation>> words(Operation one, Operation other) {
        List<List<Operation>> all = new ArrayList<>();
        List<List<Operation>> longest = List.of(List.of());
        for (int length = 1; length <= LENGTH_MAX; length++) {
            List<List<Operation>> longer = new ArrayList<>();
            for (List<Operation> word : longest) {
                for (Operation letter : List.of(one, other)) {
                    List<Operation> next = new ArrayList<>(word);
                    next.add(letter);
                    longer.add(next);
                }
            }
            all.addAll(longer);
            longest = longer;
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void everyOrderOfTriesThatEndsWithACancelLeavesNothing(int isolation) throws Exception {
        List<Account> before = ledger().accounts();
        BankInvariant bank = BankInvariant.of(ledger());
        for (List<Operation> word : words(Operation.TRY, Operation.CANCEL)) {
            if (word.get(word.size() - 1) != Operation.CANCEL) {
                continue;
            }
            TransactionId gid = fresh();
            boolean cancelled = false;
            boolean tried = false;
            for (Operation operation : word) {
                Reply reply = reply(isolation, gid, operation);
                boolean tooLate = operation == Operation.TRY && cancelled && !tried;
                assertThat(reply)
                        .as("%s, %s", word, operation)
                        .isInstanceOf(tooLate ? Reply.Refused.class : Reply.Done.class);
                tried |= operation == Operation.TRY && !cancelled;
                cancelled |= operation == Operation.CANCEL;
                bank.requireEachLedgerAsItWas();
            }
            assertThat(ledger().accounts()).as("%s", word).hasSameElementsAs(before);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void everyOrderOfAConfirmedTryHasItsEffectOnce(int isolation) throws Exception {
        BankInvariant bank = BankInvariant.of(ledger());
        List<Account> before = ledger().accounts();
        TransactionId plain = fresh();
        reply(isolation, plain, Operation.TRY);
        reply(isolation, plain, Operation.CONFIRM);
        List<Account> effect = less(ledger().accounts(), before);
        assertThat(effect).as("it does something").anyMatch(account -> account.available() != 0);
        assertThat(effect).as("and reserves nothing any more").allMatch(account -> account.reserved() == 0);
        for (List<Operation> word : words(Operation.TRY, Operation.CONFIRM)) {
            if (word.get(0) != Operation.TRY || !word.contains(Operation.CONFIRM)) {
                continue;
            }
            List<Account> then = ledger().accounts();
            TransactionId gid = fresh();
            for (Operation operation : word) {
                assertThat(reply(isolation, gid, operation)).as("%s", word).isInstanceOf(Reply.Done.class);
                bank.requireEachLedgerAsItWas();
            }
            assertThat(less(ledger().accounts(), then)).as("%s", word).hasSameElementsAs(effect);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void triesAndCancelsAtTheSameTimeLeaveNothing(int isolation) throws Exception {
        List<Account> before = ledger().accounts();
        BankInvariant bank = BankInvariant.of(ledger());
        for (int round = 0; round < ROUNDS; round++) {
            TransactionId gid = fresh();
            Concurrently.on(4, i -> {
                Reply reply = reply(isolation, gid, i % 2 == 0 ? Operation.TRY : Operation.CANCEL);
                bank.requireEachLedgerAsItWas();
                return reply;
            });
            assertThat(ledger().accounts()).as("round %s", round).hasSameElementsAs(before);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void confirmsAtTheSameTimeHaveTheEffectOnce(int isolation) throws Exception {
        BankInvariant bank = BankInvariant.of(ledger());
        List<List<Account>> effects = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            List<Account> before = ledger().accounts();
            TransactionId gid = fresh();
            int calls = round == 0 ? 1 : 4; // the first says what it should be
            reply(isolation, gid, Operation.TRY);
            Concurrently.on(calls, i -> {
                // Late repetitions of the try come as well.
                Reply reply = reply(isolation, gid, i == 1 ? Operation.TRY : Operation.CONFIRM);
                bank.requireEachLedgerAsItWas();
                return reply;
            });
            effects.add(less(ledger().accounts(), before));
            assertThat(effects.get(round)).hasSameElementsAs(effects.get(0));
        }
    }

    private static List<Account> less(List<Account> now, List<Account> before) {
        return now.stream()
                .map(account -> {
                    Account then = before.stream()
                            .filter(other -> other.name().equals(account.name()))
                            .findFirst()
                            .orElse(new Account(account.name(), 0, 0));
                    return new Account(
                            account.name(),
                            account.available() - then.available(),
                            account.reserved() - then.reserved());
                })
                .toList();
    }
}
