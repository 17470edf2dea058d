package dev.tenon.spring;

import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Reply;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Local transactions that are Spring's: JdbcTemplate, JPA and methods with {@code @Transactional} take part in them.
 */
record SpringLocalTransactions(PlatformTransactionManager manager, DataSource source) implements LocalTransactions {
    @Override
    public Reply run(Barrier.Work work) throws Exception {
        if (TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "A local transaction of Tenon's commits by itself, and this thread is in another one"
                            + " already: call it outside of @Transactional");
        }
        TransactionStatus status = manager.getTransaction(TransactionDefinition.withDefaults());
        Reply reply;
        try {
            if (!TransactionSynchronizationManager.hasResource(source)) {
                throw new IllegalStateException(manager + " begins no transaction in the DataSource " + source);
            }
            reply = work.run(DataSourceUtils.getConnection(source));
        } catch (Exception | Error e) {
            rollBack(status, e);
            throw e;
        }
        if (reply instanceof Reply.Done) {
            manager.commit(status);
        } else {
            manager.rollback(status);
        }
        return reply;
    }

    private void rollBack(TransactionStatus status, Throwable why) {
        try {
            manager.rollback(status);
        } catch (RuntimeException e) {
            why.addSuppressed(e);
        }
    }
}
