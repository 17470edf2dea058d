package dev.tenon.examples.transactions;

import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
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

/** A journey: the hotel is wanted, not needed (savepoint); its invoice begins as the booking is decided (chained). */
public final class NestedTransactions {
    private NestedTransactions() {}

    private static TccParticipant says(String what, Reply tried) {
        return TccParticipant.of(call -> tried, call -> tell(what + " confirmed"), call -> Reply.done());
    }

    private static Reply tell(String what) {
        System.out.println(what);
        return Reply.done();
    }

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        try (ShopDatabase shop = ShopDatabase.inMemory("journey")) {
            NamedParticipants participants = new NamedParticipants();
            Transactions transactions = TransactionEngine.over(
                    shop.tenon().transactions(), participants, TransactionOptions.DEFAULT.withService("travel"));
            Sagas sagas = Sagas.over(transactions, participants)
                    .register(Saga.named("invoice", 1)
                            .step("print", call -> tell("Invoice for " + call.payload()))
                            .forwardOnly()
                            .build());
            Tcc tcc = Tcc.over(transactions, participants)
                    .register("flight", 1, says("Flight", Reply.done()))
                    .register("hotel", 1, says("Hotel", Reply.refused("it is full")))
                    .register("hostel", 1, says("Hostel", Reply.done()));
            try (tcc;
                    transactions) {
                book(shop, transactions, tcc, sagas);
            }
        }
    }

    private static void book(ShopDatabase shop, Transactions transactions, Tcc tcc, Sagas sagas) throws Exception {
        TransactionId invoice = new TransactionId("invoice-1");
        // tag::nested[]
        try (TccTransaction journey = tcc.begin(new TransactionId("journey-1"), TccBranch.of("flight", "CA1"))) {
            try (TccTransaction hotel = journey.nested("hotel", TccBranch.of("hotel", "Ritz"))) {
                hotel.commit(); // kept as far as the journey is
            } catch (TransactionAbortedException e) {
                try (TccTransaction hostel = journey.nested("hostel", TccBranch.of("hostel", "Dorm 3"))) {
                    hostel.commit();
                }
            }
            // end::nested[]
            // tag::chained[]
            try (Connection connection = shop.begin()) {
                journey.commit(connection); // decides this one,
                sagas.start(connection, "invoice", invoice, "journey-1"); // begins the next one,
                connection.commit(); // both, or neither
            }
            // end::chained[]
        }
        transactions.await(new TransactionId("journey-1"), Duration.ofSeconds(30));
        transactions.hurry(invoice);
        transactions.await(invoice, Duration.ofSeconds(30));
    }
}
