package dev.tenon.benchmarks;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.sql.Connection;
import java.time.Duration;

/** Transactions of several local ones, each behind the barrier, until they have ended. */
final class StepContenders {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private StepContenders() {}

    /** Reserves in two accounts, and confirms. */
    static Contender tcc(Accounts bank) {
        NamedParticipants participants = new NamedParticipants();
        Transactions transactions = TransactionEngine.over(bank.tenon().transactions(), participants, options("tcc"));
        Tcc tcc = Tcc.over(transactions, participants)
                .register("debit", 1, new Entry(bank, 0, -1))
                .register("credit", 1, new Entry(bank, 1, 1));
        transactions.start();
        return TransactionContender.timed(
                "Tenon, TCC of two branches",
                account -> {
                    TransactionId gid = transactions.newId();
                    String payload = String.valueOf(account);
                    try (TccTransaction tx =
                            tcc.begin(gid, TccBranch.of("debit", payload), TccBranch.of("credit", payload))) {
                        tx.commit();
                    }
                    requireCommitted(transactions, gid);
                },
                () -> {
                    tcc.close();
                    transactions.close();
                });
    }

    /** Three steps, one after the other. */
    static Contender saga(Accounts bank) {
        NamedParticipants participants = new NamedParticipants();
        Transactions transactions = TransactionEngine.over(bank.tenon().transactions(), participants, options("saga"));
        Sagas sagas = Sagas.over(transactions, participants)
                .register(Saga.named("move", 1)
                        .step("debit", call -> add(bank, call, 0, -1), call -> add(bank, call, 0, 1))
                        .step("credit", call -> add(bank, call, 1, 1), call -> add(bank, call, 1, -1))
                        .after("debit")
                        .step("note", call -> add(bank, call, 0, 0))
                        .after("credit")
                        .build());
        transactions.start();
        return TransactionContender.timed(
                "Tenon, saga of three steps",
                account -> {
                    TransactionId gid = transactions.newId();
                    sagas.start("move", gid, String.valueOf(account));
                    requireCommitted(transactions, gid);
                },
                transactions::close);
    }

    private static TransactionOptions options(String service) {
        return TransactionOptions.DEFAULT.withService(service);
    }

    private static void requireCommitted(Transactions transactions, TransactionId gid) throws InterruptedException {
        TransactionState end = transactions.await(gid, PATIENCE).state();
        if (end != TransactionState.COMMITTED) {
            throw new IllegalStateException(gid + " is " + end + " after " + PATIENCE);
        }
    }

    private static Reply add(Accounts bank, BranchCall call, int offset, int amount) throws Exception {
        int account = Integer.parseInt(call.payload()) + offset;
        try (Connection connection = bank.begin()) {
            Reply reply = bank.tenon().barrier().call(connection, call, c -> {
                Accounts.add(c, account, amount);
                return Reply.done();
            });
            connection.commit();
            return reply;
        }
    }

    /** An account that is changed when it is confirmed. */
    private record Entry(Accounts bank, int offset, int amount) implements TccParticipant {
        @Override
        public Reply tryIt(BranchCall call) throws Exception {
            return add(bank, call, offset, 0);
        }

        @Override
        public Reply confirm(BranchCall call) throws Exception {
            return add(bank, call, offset, amount);
        }

        @Override
        public Reply cancel(BranchCall call) throws Exception {
            return add(bank, call, offset, 0);
        }
    }
}
