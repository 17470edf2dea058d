package dev.tenon.spring;

import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.Barrier;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participants;
import dev.tenon.tx.StuckAfter;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.UnknownParticipantException;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.http.HttpTargets;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.xa.Xa;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;

/** Transactions in the database of the application, each mode for those who have beans for it. */
@AutoConfiguration(after = TenonAutoConfiguration.class)
@ConditionalOnClass({JdbcBackend.class, Transactions.class})
@ConditionalOnBean(JdbcBackend.class)
final class TransactionsAutoConfiguration {
    @Bean
    @Lazy
    @ConditionalOnMissingBean
    Barrier tenonBarrier(JdbcBackend jdbc) {
        return jdbc.barrier();
    }

    /** For work that is to be once, in a transaction of Spring's; made when somebody asks for it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataSourceUtils.class)
    static class WithSpringTransactions {
        @Bean
        @Lazy
        @ConditionalOnMissingBean
        LocalTransactions tenonLocalTransactions(PlatformTransactionManager manager, DataSource source) {
            return new SpringLocalTransactions(manager, source);
        }
    }

    /** There is something that a transaction may call. */
    static final class Wanted extends AnyNestedCondition {
        Wanted() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(Saga.class)
        static final class BySaga {}

        @ConditionalOnBean(TccParticipant.class)
        static final class ByTcc {}

        @ConditionalOnBean(Participants.class)
        static final class ByParticipants {}
    }

    /** Whoever has none of these, has no recovery that asks the database every second. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(Wanted.class)
    static class WithParticipants {
        @Bean
        @ConditionalOnMissingBean
        NamedParticipants tenonParticipants() {
            return new NamedParticipants();
        }

        /**
         * Calls every bean of type {@link Participants}: sagas and TCC by name, databases, addresses, those of the
         * application.
         */
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        Transactions tenonTransactions(
                JdbcBackend jdbc,
                ObjectProvider<Participants> participants,
                Environment environment,
                TenonProperties properties) {
            String service = service(environment);
            Participants all =
                    participants.orderedStream().reduce(Participants::or).orElseThrow();
            TransactionOptions options = TransactionOptions.DEFAULT
                    .withService(service)
                    .withStuckAfter(stuckAfter(properties.transactions()));
            return TransactionEngine.over(jdbc.transactions(), all, options);
        }

        private static StuckAfter stuckAfter(TenonProperties.TransactionKeys keys) {
            try {
                return new StuckAfter(keys.stuckAfterCalls(), keys.stuckAfter());
            } catch (IllegalArgumentException e) {
                throw new TenonStartException(
                        "tenon.transactions: " + e.getMessage(),
                        "Set tenon.transactions.stuck-after-calls and tenon.transactions.stuck-after, such as 10 and 5m.",
                        e);
            }
        }

        private static String service(Environment environment) {
            String name = environment.getProperty("spring.application.name", "");
            String service = environment.getProperty("tenon.transactions.service", name);
            if (service.isBlank()) {
                throw new TenonStartException(
                        "Transactions are those of a service, and this application has no name: another one without a name on"
                                + " this database would drive them, and this one the other's.",
                        "Set spring.application.name, or tenon.transactions.service, to a name that no other application on this"
                                + " database has. Transactions that were begun without one get it by: UPDATE tenon_tx SET"
                                + " service = 'NAME' WHERE service = ''");
            }
            return service;
        }

        /** Every bean that is a saga is registered. */
        @Bean
        @ConditionalOnMissingBean
        Sagas tenonSagas(Transactions transactions, NamedParticipants participants, ObjectProvider<Saga> beans) {
            Sagas sagas = Sagas.over(transactions, participants);
            beans.orderedStream().forEach(sagas::register);
            return sagas;
        }

        /** Every bean that is a participant is registered as version 1 of its name. */
        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        Tcc tenonTcc(Transactions transactions, NamedParticipants participants, Map<String, TccParticipant> beans) {
            Tcc tcc = Tcc.over(transactions, participants);
            beans.forEach((name, participant) -> tcc.register(name, 1, participant));
            return tcc;
        }

        @Bean
        Recovery tenonTransactionRecovery(Transactions transactions, Sagas sagas, Tcc tcc, ObjectProvider<Xa> xa) {
            return new Recovery(transactions, xa);
        }

        /** Recovery begins when every participant is there, and the log is asked for others first. */
        static final class Recovery implements SmartLifecycle {
            /**
             * Before web servers take requests, and after they have answered the last: those have transactions, too.
             */
            static final int PHASE = DEFAULT_PHASE - 10_000;

            private final Transactions transactions;
            private final ObjectProvider<Xa> xa;
            private volatile boolean running;

            Recovery(Transactions transactions, ObjectProvider<Xa> xa) {
                this.transactions = transactions;
                this.xa = xa;
            }

            @Override
            public void start() {
                try {
                    transactions.requireParticipants();
                } catch (UnknownParticipantException e) {
                    throw new TenonStartException(String.valueOf(e.getMessage()), advice(e), e);
                }
                transactions.start();
                running = true;
            }

            private static String advice(UnknownParticipantException unknown) {
                String named =
                        "What was renamed or taken away stays a bean under its old name until these have ended. What is"
                                + " another application's needs another service: spring.application.name, or"
                                + " tenon.transactions.service.";
                return unknown.targets().stream()
                        .filter(target -> HttpTargets.isHttp(target) || HttpTargets.isGrpc(target))
                        .findFirst()
                        .map(target ->
                                "An address is that of a service that has moved, or was taken away. Leave its old address"
                                        + " beside the new one, under another name, until these have ended:"
                                        + " tenon.transactions.services.moved=" + base(target)
                                        + ". If nobody takes calls there any more, add it all the same, then close them as they are:"
                                        + " action \"close\" at /actuator/tenontransactions/ID, or tenon tx close ID --as-is"
                                        + " (docs/server/transactions.md#closing). " + named)
                        .orElse(named);
            }

            /** The address of a service, of the target where it is told decisions. */
            private static String base(String target) {
                return target.endsWith(GlobalTransactions.PATH)
                        ? target.substring(0, target.length() - GlobalTransactions.PATH.length())
                        : target;
            }

            @Override
            public void stop() {
                xa.ifAvailable(Xa::close); // writes down ends that are still to be written
                transactions.close();
                running = false;
            }

            @Override
            public int getPhase() {
                return PHASE;
            }

            @Override
            public boolean isRunning() {
                return running;
            }
        }
    }

    /** There is somewhere to send to, and the outbox is where the application's transactions are. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataSourceUtils.class)
    @ConditionalOnBean(MessageSink.class)
    @ConditionalOnSingleCandidate(DataSource.class)
    // Only where both are missing: with an address or a data source of its own, Tenon may be in another database than
    // the application's transactions.
    @ConditionalOnProperty(
            name = {"tenon.jdbc.url", "tenon.jdbc.data-source"},
            matchIfMissing = true,
            havingValue = "false")
    static class WithSink {
        @Bean(initMethod = "start", destroyMethod = "close")
        @ConditionalOnMissingBean
        Outbox tenonOutbox(JdbcBackend jdbc, MessageSink sink) {
            return Outbox.over(jdbc.outbox(), sink, OutboxOptions.DEFAULT);
        }

        @Bean
        @ConditionalOnMissingBean
        TransactionalOutbox tenonTransactionalOutbox(Outbox outbox, DataSource source) {
            return new TransactionalOutbox(outbox, source);
        }
    }
}
