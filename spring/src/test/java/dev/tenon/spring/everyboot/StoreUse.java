package dev.tenon.spring.everyboot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.LeaderOnly;
import dev.tenon.spring.Locked;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.task.AsyncTaskExecutor;

/**
 * What an application does with a backend: locks, an election, each kind of IDs that asks the store, and the actuator
 * beside.
 */
final class StoreUse {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int THREADS = 8;
    private static final int ROUNDS = 5;
    private static final String[] KEYS = {
        "tenon.locks.wait-at-most=30s",
        "tenon.ids.order.kind=snowflake",
        "tenon.ids.order.new-store=true",
        "tenon.ids.invoice.kind=segment",
        "tenon.ids.receipt.kind=sequence",
        "tenon.ids.ticket.kind=template",
        "tenon.ids.ticket.template=T{seq:6}"
    };

    private StoreUse() {}

    static BootApplication start(String... properties) {
        List<String> all = new ArrayList<>(List.of(KEYS));
        all.addAll(List.of(properties));
        return BootApplication.start(Application.class, all.toArray(String[]::new));
    }

    /** Works from the application's threads, all at once; more than once, if you like. */
    static void work(BootApplication application) throws Exception {
        AsyncTaskExecutor threads = application.context().getBean("applicationTaskExecutor", AsyncTaskExecutor.class);
        Work work = application.bean(Work.class);
        Counter counter = application.bean(Counter.class);
        int before = counter.value();
        int led = counter.led();
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            all.add(CompletableFuture.runAsync(work::rounds, threads));
        }
        CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(2, TimeUnit.MINUTES);
        assertThat(counter.value()).isEqualTo(before + THREADS * ROUNDS);
        assertThat(counter.led()).isEqualTo(led + THREADS);
        assertThat(work.ids).hasSize(4 * counter.value());
    }

    /** What operators see of it. */
    static void look(BootApplication application, String backend) throws Exception {
        assertThat(application.get("/actuator/health/tenon", 200))
                .contains("\"status\":\"UP\"", "\"backend\":\"" + backend + "\"");
        try (Lease lease = application.bean(Locks.class).lock("held").acquire(PATIENCE)) {
            assertThat(lease.token()).isPositive();
            assertThat(application.bean(Locks.class).lock("held").tryAcquire()).isEmpty();
            assertThat(application.get("/actuator/tenon", 200))
                    .contains(
                            "\"backend\":\"" + backend + "\"",
                            "\"held\"",
                            "\"leads\":[\"leader\"]",
                            "\"kind\":\"snowflake\"");
            assertThat(application.get("/actuator/metrics/tenon.locks.held", 200))
                    .contains("\"value\":2.0");
        }
        assertThat(application.get("/actuator/metrics/tenon.ids.issued?tag=name:order", 200))
                .contains("\"value\":" + THREADS * ROUNDS + ".0");
        assertThat(application.get("/actuator/metrics/tenon.locked.wait", 200)).contains("\"COUNT\"");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Counter.class, Work.class})
    static class Application {}

    static class Counter {
        private final AtomicInteger led = new AtomicInteger();
        private final CurrentLease lease;
        private int value; // guarded by the lock alone

        Counter(CurrentLease lease) {
            this.lease = lease;
        }

        @Locked(key = "'counter'")
        public void add() {
            assertThat(lease.token()).isPositive();
            value++;
        }

        @LeaderOnly("leader")
        public void lead() {
            led.incrementAndGet();
        }

        public int value() {
            return value;
        }

        public int led() {
            return led.get();
        }
    }

    static class Work {
        final Set<Object> ids = ConcurrentHashMap.newKeySet();
        private final Counter counter;
        private final IdGenerator order;
        private final IdGenerator invoice;
        private final IdGenerator receipt;
        private final TemplateGenerator ticket;

        Work(Counter counter, IdGenerator order, IdGenerator invoice, IdGenerator receipt, TemplateGenerator ticket) {
            this.counter = counter;
            this.order = order;
            this.invoice = invoice;
            this.receipt = receipt;
            this.ticket = ticket;
        }

        void rounds() {
            counter.lead();
            for (int round = 0; round < ROUNDS; round++) {
                counter.add();
                ids.add("order " + order.nextId());
                ids.add("invoice " + invoice.nextId());
                ids.add("receipt " + receipt.nextId());
                ids.add(ticket.nextId());
            }
        }
    }
}
