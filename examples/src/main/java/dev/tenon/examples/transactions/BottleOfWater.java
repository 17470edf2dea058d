package dev.tenon.examples.transactions;

import static dev.tenon.examples.transactions.ShopDatabase.number;
import static dev.tenon.examples.transactions.ShopDatabase.update;

import dev.tenon.tx.BranchCall;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionAbortedException;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A bottle of water for 100 yuan: 10 from a coupon, 30 from a red packet, 60 from the balance. Either all of it is paid
 * and the bottle is sold, or none of it.
 */
public final class BottleOfWater implements AutoCloseable {
    private final ShopDatabase shop;
    private final Transactions transactions;
    private final Tcc tcc;

    // tag::participant[]
    /** Anything that can be reserved: money of an account, bottles on a shelf. */
    static final class Account implements TccParticipant {
        private final ShopDatabase shop;
        private final String account;

        Account(ShopDatabase shop, String account) {
            this.shop = shop;
            this.account = account;
        }

        @Override
        public Reply tryIt(BranchCall call) throws Exception {
            long amount = Long.parseLong(call.payload());
            String reserve = "UPDATE account SET available = available - ?, reserved = reserved + ?"
                    + " WHERE id = ? AND available >= ?";
            return shop.once(
                    call,
                    c -> update(c, reserve, amount, amount, account, amount) == 1
                            ? Reply.done()
                            : Reply.refused("not enough in " + account));
        }

        @Override
        public Reply confirm(BranchCall call) throws Exception {
            return settle(call, "UPDATE account SET reserved = reserved - ?, spent = spent + ? WHERE id = ?");
        }

        @Override
        public Reply cancel(BranchCall call) throws Exception {
            return settle(call, "UPDATE account SET reserved = reserved - ?, available = available + ? WHERE id = ?");
        }

        private Reply settle(BranchCall call, String sql) throws Exception {
            long amount = Long.parseLong(call.payload());
            return shop.once(call, c -> {
                update(c, sql, amount, amount, account);
                return Reply.done();
            });
        }
    }
    // end::participant[]

    /** The shop on a database that has {@link #createTables}. */
    public BottleOfWater(ShopDatabase shop, TransactionOptions options) {
        this.shop = shop;
        // tag::start[]
        NamedParticipants participants = new NamedParticipants();
        transactions = TransactionEngine.over(shop.tenon().transactions(), participants, options);
        tcc = Tcc.over(transactions, participants);
        for (String account : new String[] {"water", "coupon", "packet", "balance"}) {
            tcc.register(account, 1, new Account(shop, account));
        }
        transactions.requireParticipants().start();
        // end::start[]
    }

    /** Makes the tables: bottles of water, and enough money for some of them. */
    public static void createTables(ShopDatabase shop, int bottles, int customers) throws SQLException {
        try (Connection connection = shop.begin()) {
            update(
                    connection,
                    "CREATE TABLE account (id VARCHAR(20) PRIMARY KEY, available INT NOT NULL,"
                            + " reserved INT NOT NULL, spent INT NOT NULL)");
            update(connection, "CREATE TABLE sale (id VARCHAR(40) PRIMARY KEY)");
            String insert = "INSERT INTO account VALUES (?, ?, 0, 0)";
            update(connection, insert, "water", bottles);
            update(connection, insert, "coupon", 10 * customers);
            update(connection, insert, "packet", 30 * customers);
            update(connection, insert, "balance", 60 * customers);
            connection.commit();
        }
    }

    // tag::buy[]
    /** Buys a bottle; throws if anything is refused: then nothing is taken. */
    public void buy(String order) throws SQLException {
        TransactionId gid = new TransactionId("sale-" + order);
        try (TccTransaction tx = tcc.begin(
                gid,
                TccBranch.of("water", "1"),
                TccBranch.of("coupon", "10"),
                TccBranch.of("packet", "30"),
                TccBranch.of("balance", "60"))) {
            try (Connection connection = shop.begin()) {
                update(connection, "INSERT INTO sale VALUES (?)", order);
                tx.commit(connection); // the decision: it stands if, and only if, the sale does
                connection.commit();
            }
        } // closed: confirmed in the background; left undecided, by an exception say: cancelled
    }
    // end::buy[]

    /** Waits for the end of a sale. */
    public TransactionState ended(String order) throws InterruptedException {
        return transactions
                .await(new TransactionId("sale-" + order), Duration.ofSeconds(30))
                .state();
    }

    /** What is in an account: {@code available+reserved+spent}. */
    public String account(String id) throws SQLException {
        try (Connection connection = shop.begin()) {
            return number(connection, "SELECT available FROM account WHERE id = ?", id) + "+"
                    + number(connection, "SELECT reserved FROM account WHERE id = ?", id) + "+"
                    + number(connection, "SELECT spent FROM account WHERE id = ?", id);
        }
    }

    /** Runs the example. */
    public static void main(String[] args) throws Exception {
        try (ShopDatabase shop = ShopDatabase.inMemory("water")) {
            createTables(shop, 1, 2);
            try (BottleOfWater water = new BottleOfWater(shop, TransactionOptions.DEFAULT.withService("shop"))) {
                water.buy("1");
                System.out.println("First sale: " + water.ended("1") + ", balance " + water.account("balance"));
                try {
                    water.buy("2");
                } catch (TransactionAbortedException e) {
                    System.out.println(e.getMessage());
                }
                System.out.println("Second sale: " + water.ended("2") + ", balance " + water.account("balance"));
            }
        }
    }

    @Override
    public void close() {
        tcc.close();
        transactions.close();
    }
}
