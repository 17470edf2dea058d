package dev.tenon.benchmarks;

import io.seata.core.model.GlobalStatus;
import io.seata.integration.tx.api.fence.DefaultCommonFenceHandler;
import io.seata.integration.tx.api.interceptor.handler.DefaultInvocationHandler;
import io.seata.integration.tx.api.interceptor.parser.DefaultInterfaceParser;
import io.seata.rm.RMClient;
import io.seata.rm.datasource.DataSourceProxy;
import io.seata.rm.fence.SpringFenceHandler;
import io.seata.rm.tcc.api.BusinessActionContext;
import io.seata.tm.TMClient;
import io.seata.tm.api.GlobalTransaction;
import io.seata.tm.api.GlobalTransactionContext;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** Two branches in one PostgreSQL by Seata's client, in this process, and its server, in another. */
final class SeataContenders {
    static final String TCC = "Seata 2.0, TCC";
    static final String AT = "Seata 2.0, AT";

    private static final int TIMEOUT_MILLIS = 60_000;

    private final Accounts bank;

    private SeataContenders(Accounts bank) {
        this.bank = bank;
    }

    /** Connects to the server, and makes the tables that Seata wants. One in a JVM: the client is static. */
    static SeataContenders in(Accounts bank, SeataServer server) {
        SqlPool.execute(
                bank.pool(),
                "CREATE TABLE tcc_fence_log (xid VARCHAR(128) NOT NULL, branch_id BIGINT NOT NULL, action_name VARCHAR(64)"
                        + " NOT NULL, status SMALLINT NOT NULL, gmt_create TIMESTAMP(3) NOT NULL,"
                        + " gmt_modified TIMESTAMP(3) NOT NULL, PRIMARY KEY (xid, branch_id))");
        SqlPool.execute(
                bank.pool(),
                "CREATE TABLE undo_log (id SERIAL PRIMARY KEY, branch_id BIGINT NOT NULL, xid VARCHAR(128) NOT NULL,"
                        + " context VARCHAR(128) NOT NULL, rollback_info BYTEA NOT NULL, log_status INT NOT NULL,"
                        + " log_created TIMESTAMP(0) NOT NULL, log_modified TIMESTAMP(0) NOT NULL, UNIQUE (xid, branch_id))");
        System.setProperty("service.default.grouplist", server.address());
        TMClient.init("bank", "benchmark");
        RMClient.init("bank", "benchmark");
        DefaultCommonFenceHandler.get().setFenceHandler(new SpringFenceHandler());
        SpringFenceHandler.setDataSource(bank.pool());
        SpringFenceHandler.setTransactionTemplate(
                new TransactionTemplate(new DataSourceTransactionManager(bank.pool())));
        return new SeataContenders(bank);
    }

    /** Reserves in two accounts, and confirms, each behind Seata's fence; the server answers after both confirms. */
    Contender tcc() throws Exception {
        SeataEntry.Debit debit = proxy(SeataEntry.Debit.class, new Debit(bank.pool()), "debit");
        SeataEntry.Credit credit = proxy(SeataEntry.Credit.class, new Credit(bank.pool()), "credit");
        return TransactionContender.timed(
                TCC,
                account -> {
                    GlobalTransaction tx = begin();
                    debit.prepare(new BusinessActionContext(), account);
                    credit.prepare(new BusinessActionContext(), account);
                    commit(tx);
                },
                () -> {});
    }

    /** Changes two accounts, each in a local transaction; the server answers when the decision is written. */
    Contender at() {
        DataSource proxy = new DataSourceProxy(bank.pool());
        return TransactionContender.timed(
                AT,
                account -> {
                    GlobalTransaction tx = begin();
                    change(proxy, account, -1);
                    change(proxy, account + 1, 1);
                    commit(tx);
                },
                () -> {});
    }

    private static GlobalTransaction begin() throws Exception {
        GlobalTransaction tx = GlobalTransactionContext.getCurrentOrCreate();
        tx.begin(TIMEOUT_MILLIS, "transfer");
        return tx;
    }

    private static void commit(GlobalTransaction tx) throws Exception {
        tx.commit();
        if (tx.getLocalStatus() != GlobalStatus.Committed) {
            throw new IllegalStateException(tx.getXid() + " is " + tx.getLocalStatus());
        }
    }

    private static void change(DataSource source, int account, int amount) throws SQLException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            Accounts.add(connection, account, amount);
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    private static <T> T proxy(Class<T> type, T target, String name) throws Exception {
        DefaultInvocationHandler handler =
                new DefaultInvocationHandler(DefaultInterfaceParser.get().parserInterfaceToProxy(target, name), target);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** In the transaction that the fence has begun on this thread. */
    private static boolean add(DataSource source, int account, int amount) {
        Connection connection = DataSourceUtils.getConnection(source);
        try {
            Accounts.add(connection, account, amount);
            return true;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        } finally {
            DataSourceUtils.releaseConnection(connection, source);
        }
    }

    private static int account(BusinessActionContext context) {
        return context.getActionContext("account", Integer.class);
    }

    private record Debit(DataSource source) implements SeataEntry.Debit {
        @Override
        public boolean prepare(BusinessActionContext context, int account) {
            return add(source, account, 0);
        }

        @Override
        public boolean commit(BusinessActionContext context) {
            return add(source, account(context), -1);
        }

        @Override
        public boolean rollback(BusinessActionContext context) {
            return add(source, account(context), 0);
        }
    }

    private record Credit(DataSource source) implements SeataEntry.Credit {
        @Override
        public boolean prepare(BusinessActionContext context, int account) {
            return add(source, account + 1, 0);
        }

        @Override
        public boolean commit(BusinessActionContext context) {
            return add(source, account(context) + 1, 1);
        }

        @Override
        public boolean rollback(BusinessActionContext context) {
            return add(source, account(context) + 1, 0);
        }
    }
}
