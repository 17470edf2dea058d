package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.IdGenerator;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.redis.RedisBackend;
import dev.tenon.tx.LocalTransactions;
import dev.tenon.tx.Message;
import dev.tenon.tx.Reply;
import dev.tenon.tx.TransactionEvent;
import dev.tenon.tx.TransactionId;
import dev.tenon.tx.TransactionState;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.at.AtResource;
import dev.tenon.tx.at.AtTransactions;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.notify.Notifications;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.saga.Sagas;
import dev.tenon.tx.tcc.Tcc;
import dev.tenon.tx.tcc.TccBranch;
import dev.tenon.tx.tcc.TccParticipant;
import dev.tenon.tx.tcc.TccTransaction;
import dev.tenon.tx.xa.Xa;
import dev.tenon.tx.xa.XaDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.CompileWithForkedClassLoader;
import org.springframework.core.test.tools.Compiled;
import org.springframework.core.test.tools.TestCompiler;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a native image needs: the scripts, proxies, and beans that can be made without looking for them. */
class NativeImageTest {
    /**
     * Looked for once in a process, by the class loader of the thread that asks first: not by one that is thrown away.
     */
    @BeforeAll
    static void driversAreFoundForAllTests() {
        DriverManager.drivers();
    }

    @Test
    void everyScriptIsTakenAlong() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new TenonHints().registerHints(hints, null);
        for (Class<?> backend : List.of(JdbcBackend.class, RedisBackend.class)) {
            List<String> scripts = scripts(backend);
            assertThat(scripts).hasSizeGreaterThan(10);
            assertThat(scripts)
                    .allSatisfy(script -> assertThat(
                                    RuntimeHintsPredicates.resource().forResource(script))
                            .accepts(hints));
        }
    }

    @Test
    void connectionsThatAreHandedOutCanBeProxies() {
        RuntimeHints hints = new RuntimeHints();
        new TenonHints().registerHints(hints, null);
        for (Class<?> handed : List.of(java.sql.Connection.class, Statement.class, PreparedStatement.class)) {
            assertThat(RuntimeHintsPredicates.proxies().forInterfaces(handed)).accepts(hints);
            assertThat(handed.getMethods())
                    .allSatisfy(method -> assertThat(
                                    RuntimeHintsPredicates.reflection().onMethodInvocation(method))
                            .accepts(hints));
        }
    }

    @Test
    @CompileWithForkedClassLoader
    void theBeansAreMadeFromGeneratedCode() {
        String[] keys = {"tenon.backend=memory", "tenon.ids.order.kind=segment"};
        ahead(Application.class, keys, fresh -> {
            Account account = fresh.getBean(Account.class);
            assertThat(account.run("a", fresh.getBean(CurrentLease.class))).isPositive();
            assertThat(fresh.getBean("order", IdGenerator.class).nextId()).isPositive();
        });
    }

    @Test
    @CompileWithForkedClassLoader
    void transactionsInADatabaseAreMadeFromGeneratedCode() {
        String[] keys = {
            "tenon.backend=jdbc",
            "spring.application.name=shop",
            "tenon.jdbc.allow-in-memory-database=true",
            "spring.datasource.url=jdbc:h2:mem:ahead;DB_CLOSE_DELAY=-1",
            "tenon.notifications.secrets=a secret that both sides know",
            "management.endpoints.web.exposure.include=*"
        };
        RuntimeHints hints = ahead(WithDatabase.class, keys, fresh -> {
            Transactions transactions = fresh.getBean(Transactions.class);
            TransactionId gid = new TransactionId("order-1");
            fresh.getBean(Sagas.class).start("order", gid, "{}");
            try {
                assertThat(transactions.await(gid, Duration.ofSeconds(30)).state())
                        .isEqualTo(TransactionState.COMMITTED);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            assertThat(fresh.getBean(Notifications.class)).isNotNull();
            assertThat(fresh.getBean(AtTransactions.class)).isNotNull();
            assertThat(fresh.getBean(Xa.class)).isNotNull();
            TccTransaction tcc =
                    fresh.getBean(Tcc.class).begin(new TransactionId("bought-1"), TccBranch.of("card", "30"));
            tcc.commit();
            tcc.close();
            MeterRegistry meters = new SimpleMeterRegistry();
            fresh.getBeanProvider(MeterBinder.class).forEach(binder -> binder.bindTo(meters));
            assertThat(meters.get("tenon.outbox.lag").timeGauge().value()).isZero();
            TransactionTemplate transaction = new TransactionTemplate(fresh.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status ->
                    fresh.getBean(TransactionalOutbox.class).send(Message.of("points", "order-paid/1", "30")));
            try {
                Reply reply = fresh.getBean(LocalTransactions.class).run(connection -> Reply.done());
                assertThat(reply).isEqualTo(Reply.done());
                assertThat(WithDatabase.TAKEN.poll(30, TimeUnit.SECONDS)).isEqualTo("30");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        for (Class<?> shown : List.of(
                TransactionsEndpoint.Page.class,
                TransactionsEndpoint.Line.class,
                TransactionsEndpoint.Detail.class,
                TransactionsEndpoint.Branch.class,
                OutboxEndpoint.Overview.class,
                OutboxEndpoint.Lane.class,
                OutboxEndpoint.Line.class,
                OutboxEndpoint.Detail.class,
                OutboxEndpoint.Done.class,
                TransactionEvent.class)) {
            assertThat(RuntimeHintsPredicates.reflection().onType(shown)).accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onType(TenonProperties.class))
                .accepts(hints);
    }

    /**
     * Makes an application's beans by the code that Spring generates of it, and says what a native image would be told.
     */
    private static RuntimeHints ahead(Class<?> application, String[] keys, Consumer<GenericApplicationContext> test) {
        TestGenerationContext generation = new TestGenerationContext();
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        TestPropertyValues.of(keys).applyTo(context);
        context.register(application);
        var generated = new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        generation.writeGeneratedContent();
        TestCompiler.forSystem().with(generation).compile((Compiled compiled) -> {
            GenericApplicationContext fresh = new GenericApplicationContext();
            TestPropertyValues.of(keys).applyTo(fresh);
            @SuppressWarnings("unchecked")
            ApplicationContextInitializer<GenericApplicationContext> initializer =
                    compiled.getInstance(ApplicationContextInitializer.class, generated.toString());
            initializer.initialize(fresh);
            fresh.refresh();
            try (fresh) {
                test.accept(fresh);
            }
        });
        return generation.getRuntimeHints();
    }

    private static List<String> scripts(Class<?> backend) throws IOException, URISyntaxException {
        URI place = backend.getProtectionDomain().getCodeSource().getLocation().toURI();
        Path root = Path.of(place);
        if (Files.isDirectory(root)) {
            return scriptsUnder(root);
        }
        try (var jar = FileSystems.newFileSystem(root)) {
            return scriptsUnder(jar.getPath("/"));
        }
    }

    private static List<String> scriptsUnder(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(name -> name.matches("dev/tenon/.*\\.(sql|lua)"))
                    .toList();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        MemoryBackendAutoConfiguration.class,
        TenonAutoConfiguration.class,
        LockedAutoConfiguration.class,
        IdsAutoConfiguration.class,
        PublicIdAutoConfiguration.class
    })
    @Import(Account.class)
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        JdbcBackendAutoConfiguration.class,
        TenonAutoConfiguration.class,
        TransactionModesAutoConfiguration.class,
        TransactionsAutoConfiguration.class,
        TransactionOperationsAutoConfiguration.class
    })
    static class WithDatabase {
        static final BlockingQueue<String> TAKEN = new LinkedBlockingQueue<>();

        @Bean
        TccParticipant card() {
            return TccParticipant.of(call -> Reply.done(), call -> Reply.done(), call -> Reply.done());
        }

        @Bean
        MessageSink sink() {
            return MessageHandlers.none().with("points", message -> {
                TAKEN.add(message.text());
                return Reply.done();
            });
        }

        @Bean
        Saga order() {
            return Saga.named("order", 1)
                    .step("stock", call -> Reply.done(), call -> Reply.done())
                    .build();
        }

        @Bean
        XaDatabase giro(JdbcBackend backend) {
            return XaDatabase.of(new JdbcDataSource(), backend.barrierStore());
        }

        @Bean
        AtResource stock(DataSource source, JdbcBackend backend) {
            return backend.autoUndo(source);
        }
    }

    public static class Account {
        @Locked(key = "'account:' + #name")
        public long run(String name, CurrentLease lease) {
            return lease.token();
        }
    }
}
