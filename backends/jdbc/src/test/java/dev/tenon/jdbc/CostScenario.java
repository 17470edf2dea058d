package dev.tenon.jdbc;

import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionRecord;
import dev.tenon.tx.at.AtTransaction;
import dev.tenon.tx.message.Inbox;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.XaTransaction;
import java.net.URI;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;

/** One transaction of each mode, from its beginning to its end, with nothing going wrong. */
enum CostScenario {
    OUTBOX("outbox, enqueue") {
        @Override
        void run(CountedModes bench) throws Exception {
            bench.locally(c -> bench.writer.enqueue(c, message()));
        }
    },
    OUTBOX_COMMIT("outbox, enqueue and commit in one") {
        @Override
        void run(CountedModes bench) throws Exception {
            try (Connection connection = bench.first.business.getConnection()) {
                bench.change(connection);
                bench.writer.commit(connection, message());
                bench.commits(1);
            }
        }
    },
    OUTBOX_RELAY("outbox, find and send one") {
        @Override
        void run(CountedModes bench) throws Exception {
            try (Connection connection = bench.first.connect()) {
                connection.setAutoCommit(false);
                bench.relay.enqueue(connection, message());
                connection.commit();
            }
            bench.relay.runOnce();
        }
    },
    OUTBOX_AT_ONCE("outbox, commit and send one at once") {
        @Override
        void run(CountedModes bench) throws Exception {
            try (Connection connection = bench.first.business.getConnection()) {
                bench.change(connection);
                bench.sending.commit(connection, message());
                bench.commits(1);
            }
            bench.awaitAllSent();
        }
    },
    INBOX("inbox") {
        @Override
        void run(CountedModes bench) throws Exception {
            Inbox inbox = Inbox.over(bench.first.backend.barrier(), "source");
            inbox.handler(bench.first.business, (connection, it) -> {
                        bench.change(connection);
                        bench.commits(1);
                        return Reply.done();
                    })
                    .send(message());
        }
    },
    RELIABLE("reliable message") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = bench.messages.prepare(message(), Duration.ofHours(1));
            bench.locally(c -> bench.messages.confirm(c, gid));
            bench.messages.submit(gid);
            bench.awaitEnd(gid);
        }
    },
    CHECK_BACK("reliable message, with a check-back") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = bench.messages.prepare(message(), Duration.ofMillis(1));
            bench.locally(c -> bench.messages.confirm(c, gid));
            bench.awaitDue(bench.first.direct.transactions().find(gid).orElseThrow());
            bench.transactions.runOnce();
            bench.awaitEnd(gid);
        }
    },
    NOTIFY("notification") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = newId();
            TransactionRecord[] begun = new TransactionRecord[1];
            bench.locally(c -> begun[0] = bench.notifications.send(c, gid, URI.create("http://localhost/"), "{}"));
            bench.transactions.hurry(begun[0]);
            bench.awaitEnd(gid);
        }
    },
    SAGA("saga of three steps") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = newId();
            TransactionRecord[] begun = new TransactionRecord[1];
            bench.locally(c -> begun[0] = bench.sagas.start(c, "three", gid, "{}"));
            bench.transactions.hurry(begun[0]);
            bench.awaitEnd(gid);
        }
    },
    TCC("TCC of two branches") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = newId();
            try (TccTransaction tx =
                    bench.tcc.begin(gid, new TccBranch("a", "work", ""), new TccBranch("b", "work", ""))) {
                bench.locally(tx::commit);
            }
            bench.awaitEnd(gid);
        }
    },
    TCC_NESTED("TCC of one branch, and one nested in it") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid = newId();
            try (TccTransaction tx = bench.tcc.begin(gid, TccBranch.of("work", ""))) {
                try (TccTransaction nested = tx.nested("inner", TccBranch.of("work", ""))) {
                    nested.commit();
                }
                bench.locally(tx::commit);
            }
            bench.awaitEnd(gid);
        }
    },
    AT("automatic undo in two databases") {
        @Override
        void run(CountedModes bench) throws Exception {
            TransactionId gid;
            try (AtTransaction tx = bench.at.begin(Duration.ofMinutes(1))) {
                gid = tx.gid();
                bench.change(tx.connection("one"));
                bench.change(tx.connection("two"));
                bench.commits(2);
                tx.commit();
            }
            bench.awaitEnd(gid);
        }
    },
    AT_MANY("automatic undo, an update of 1 000 rows") {
        @Override
        void run(CountedModes bench) throws Exception {
            changeMany(bench, true);
        }
    },
    XA("XA over two databases") {
        @Override
        void run(CountedModes bench) throws Exception {
            try (XaTransaction tx = bench.xa.begin()) {
                bench.change(tx.connection("one"));
                bench.change(tx.connection("two"));
                bench.commits(2);
                tx.commit();
                bench.awaitEnd(tx.id());
            }
        }
    },
    XA_LAST("XA over two databases, one of them the last resource") {
        @Override
        void run(CountedModes bench) throws Exception {
            try (Connection own = bench.first.business.getConnection();
                    XaTransaction tx = bench.xa.begin(own)) {
                bench.change(own);
                bench.change(tx.connection("two"));
                bench.commits(2);
                tx.commit();
                bench.awaitEnd(tx.id());
            }
        }
    };

    private final String label;

    CostScenario(String label) {
        this.label = label;
    }

    /** Its row in the table. */
    String label() {
        return label;
    }

    abstract void run(CountedModes bench) throws Exception;

    /** Changes 1 000 rows with automatic undo. */
    static void changeMany(CountedModes bench, boolean commits) throws Exception {
        TransactionId gid;
        try (AtTransaction tx = bench.at.begin(Duration.ofMinutes(1))) {
            gid = tx.gid();
            Connection connection = tx.connection("one");
            bench.own();
            try (Statement statement = connection.createStatement()) {
                statement.executeUpdate("UPDATE many SET n = n + 1");
            }
            connection.commit();
            bench.commits(1);
            if (commits) {
                tx.commit();
            }
        }
        bench.awaitEnd(gid);
    }

    private static Message message() {
        return Message.of("points", "paid/1", "10");
    }

    private static TransactionId newId() {
        return new TransactionId(UUID.randomUUID().toString());
    }
}
