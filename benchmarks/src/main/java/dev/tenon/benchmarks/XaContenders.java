package dev.tenon.benchmarks;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import dev.tenon.tx.xa.XaDatabases;
import dev.tenon.tx.xa.XaTransaction;
import jakarta.transaction.TransactionManager;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Money from a PostgreSQL to a MariaDB, in one transaction. */
final class XaContenders {
    static final String LAST = "Tenon, PostgreSQL as the last resource";
    static final String NARAYANA = "Narayana";
    static final String NARAYANA_LAST = "Narayana, PostgreSQL as the last resource";
    static final String BY_HAND = "two-phase commit by hand, in parallel, without recovery";

    private XaContenders() {}

    static Contender tenon(Accounts from, Accounts to) {
        Coordinator coordinator = new Coordinator(from, to);
        return TransactionContender.timed(
                TenonLock.TITLE,
                account -> {
                    try (XaTransaction tx = coordinator.xa.begin()) {
                        Accounts.add(tx.connection("from"), account, -1);
                        Accounts.add(tx.connection("to"), account, 1);
                        tx.commit();
                    }
                },
                coordinator::close);
    }

    static Contender tenonLast(Accounts from, Accounts to) {
        Coordinator coordinator = new Coordinator(from, to);
        return TransactionContender.timed(
                LAST,
                account -> {
                    try (Connection own = from.begin();
                            XaTransaction tx = coordinator.xa.begin(own)) {
                        Accounts.add(own, account, -1);
                        Accounts.add(tx.connection("to"), account, 1);
                        tx.commit();
                    }
                },
                coordinator::close);
    }

    static Contender narayana(Accounts from, Accounts to, Path folder) throws CoreEnvironmentBeanException {
        TransactionManager manager = narayana(folder);
        Pool one = new Pool(from.xa());
        Pool other = new Pool(to.xa());
        return TransactionContender.timed(
                NARAYANA,
                account -> {
                    XAConnection debit = one.take();
                    XAConnection credit = other.take();
                    manager.begin();
                    manager.getTransaction().enlistResource(debit.getXAResource());
                    manager.getTransaction().enlistResource(credit.getXAResource());
                    Accounts.add(debit.getConnection(), account, -1);
                    Accounts.add(credit.getConnection(), account, 1);
                    manager.commit();
                    one.give(debit);
                    other.give(credit);
                },
                () -> {
                    one.close();
                    other.close();
                });
    }

    /** Its last resource is what says so; it is enlisted as if it were XA. */
    static Contender narayanaLast(Accounts from, Accounts to, Path folder) throws CoreEnvironmentBeanException {
        TransactionManager manager = narayana(folder);
        Pool other = new Pool(to.xa());
        return TransactionContender.timed(
                NARAYANA_LAST,
                account -> {
                    XAConnection credit = other.take();
                    try (Connection debit = from.begin()) {
                        manager.begin();
                        manager.getTransaction().enlistResource(new LastResource(debit));
                        manager.getTransaction().enlistResource(credit.getXAResource());
                        Accounts.add(debit, account, -1);
                        Accounts.add(credit.getConnection(), account, 1);
                        manager.commit();
                    }
                    other.give(credit);
                },
                other::close);
    }

    private static TransactionManager narayana(Path folder) throws CoreEnvironmentBeanException {
        arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier("benchmark");
        store(BeanPopulator.getDefaultInstance(ObjectStoreEnvironmentBean.class), folder);
        store(BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "communicationStore"), folder);
        store(BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, "stateStore"), folder);
        return com.arjuna.ats.jta.TransactionManager.transactionManager();
    }

    private static void store(ObjectStoreEnvironmentBean store, Path folder) {
        store.setObjectStoreDir(folder.toString());
    }

    static Contender byHand(Accounts from, Accounts to) {
        SqlPool.execute(from.pool(), "CREATE TABLE decision (id BIGINT PRIMARY KEY)");
        Pool one = new Pool(from.xa());
        Pool other = new Pool(to.xa());
        AtomicLong numbers = new AtomicLong();
        ExecutorService threads = Executors.newCachedThreadPool();
        return TransactionContender.timed(
                BY_HAND,
                account -> {
                    XAConnection debit = one.take();
                    XAConnection credit = other.take();
                    long number = numbers.incrementAndGet();
                    Branch a = new Branch(debit.getXAResource(), new Name(number, 1));
                    Branch b = new Branch(credit.getXAResource(), new Name(number, 2));
                    a.resource.start(a.name, XAResource.TMNOFLAGS);
                    b.resource.start(b.name, XAResource.TMNOFLAGS);
                    Accounts.add(debit.getConnection(), account, -1);
                    Accounts.add(credit.getConnection(), account, 1);
                    Future<?> prepared = threads.submit(a::prepare);
                    b.prepare();
                    prepared.get();
                    decide(from, number);
                    Future<?> committed = threads.submit(a::commit);
                    b.commit();
                    committed.get();
                    one.give(debit);
                    other.give(credit);
                },
                () -> {
                    threads.shutdown();
                    one.close();
                    other.close();
                });
    }

    private static void decide(Accounts log, long number) throws SQLException {
        try (Connection connection = log.pool().getConnection();
                PreparedStatement statement = connection.prepareStatement("INSERT INTO decision VALUES (?)")) {
            statement.setLong(1, number);
            statement.executeUpdate();
        }
    }

    private record Branch(XAResource resource, Xid name) {
        Void prepare() throws Exception {
            resource.end(name, XAResource.TMSUCCESS);
            resource.prepare(name);
            return null;
        }

        Void commit() throws Exception {
            resource.commit(name, false);
            return null;
        }
    }

    private record Name(long number, int branch) implements Xid {
        private static final int FORMAT = 0x62656e63;

        @Override
        public int getFormatId() {
            return FORMAT;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {(byte) branch};
        }
    }

    /** Tenon over the two, its log in the first. */
    private static final class Coordinator {
        private final XaDatabases databases;
        private final Transactions transactions;
        private final Xa xa;

        Coordinator(Accounts from, Accounts to) {
            databases = XaDatabases.of(Map.of(
                    "from", XaDatabase.of(from.xa(), from.tenon().barrierStore()),
                    "to", XaDatabase.of(to.xa(), to.tenon().barrierStore())));
            transactions = TransactionEngine.over(
                            from.tenon().transactions(), databases, TransactionOptions.DEFAULT.withService("bank"))
                    .start();
            xa = Xa.over(transactions, databases).start();
        }

        void close() {
            xa.close();
            transactions.close();
            databases.close();
        }
    }

    /** Connections that are kept, for those who bring no pool. */
    private static final class Pool {
        private final BlockingQueue<XAConnection> idle = new LinkedBlockingQueue<>();
        private final XADataSource source;

        Pool(XADataSource source) {
            this.source = source;
        }

        XAConnection take() throws SQLException {
            XAConnection known = idle.poll();
            return known == null ? source.getXAConnection() : known;
        }

        void give(XAConnection connection) {
            idle.add(connection);
        }

        void close() {
            for (XAConnection connection : List.copyOf(idle)) {
                try {
                    connection.close();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }
}
