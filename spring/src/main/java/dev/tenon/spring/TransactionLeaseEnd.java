package dev.tenon.spring;

import java.util.function.Supplier;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Commit comes before unlock: a lock that was taken inside a transaction is given back when that is over. And no
 * transaction is committed under a lock that is lost.
 */
final class TransactionLeaseEnd implements LeaseEnd {
    @Override
    public boolean putOff(Runnable release) {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            return false;
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            throw new IllegalStateException("A lock is wanted inside a transaction whose end can't be seen (its manager"
                    + " synchronizes nothing): take the lock before the transaction begins");
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                release.run();
            }
        });
        return true;
    }

    /** Tells each transaction manager to ask before it commits. */
    static final class Guard implements BeanPostProcessor, TransactionExecutionListener {
        private final Supplier<LeaseScope> scope;

        Guard(Supplier<LeaseScope> scope) {
            this.scope = scope;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof ConfigurableTransactionManager transactions) {
                transactions.addListener(this);
            }
            return bean;
        }

        @Override
        public void beforeCommit(TransactionExecution transaction) {
            scope.get().requireAllHeld();
        }
    }
}
