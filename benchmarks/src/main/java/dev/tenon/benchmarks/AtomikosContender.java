package dev.tenon.benchmarks;

import com.atomikos.icatch.jta.UserTransactionManager;
import com.atomikos.jdbc.AtomikosDataSourceBean;
import java.nio.file.Path;
import java.sql.Connection;
import javax.sql.XADataSource;

/** Money from a PostgreSQL to a MariaDB by Atomikos, with its own pools. */
final class AtomikosContender {
    static final String TITLE = "Atomikos";

    private AtomikosContender() {}

    /**
     * Its log in files in that folder. It has no last resource: what is not XA may only be alone in its transaction.
     */
    static Contender over(Accounts from, Accounts to, Path folder) throws Exception {
        System.setProperty("com.atomikos.icatch.log_base_dir", folder.toString());
        System.setProperty("com.atomikos.icatch.output_dir", folder.toString());
        System.setProperty("com.atomikos.icatch.tm_unique_name", "benchmark");
        UserTransactionManager manager = new UserTransactionManager();
        manager.init();
        AtomikosDataSourceBean one = pool("from", from.xa());
        AtomikosDataSourceBean other = pool("to", to.xa());
        return TransactionContender.timed(
                TITLE,
                account -> {
                    manager.begin();
                    add(one, account, -1);
                    add(other, account, 1);
                    manager.commit();
                },
                () -> {
                    one.close();
                    other.close();
                    manager.close();
                });
    }

    private static void add(AtomikosDataSourceBean pool, int account, int amount) throws Exception {
        try (Connection connection = pool.getConnection()) {
            Accounts.add(connection, account, amount);
        }
    }

    private static AtomikosDataSourceBean pool(String name, XADataSource source) {
        AtomikosDataSourceBean pool = new AtomikosDataSourceBean();
        pool.setUniqueResourceName(name);
        pool.setXaDataSource(source);
        pool.setPoolSize(SqlPool.CONNECTIONS);
        return pool;
    }
}
