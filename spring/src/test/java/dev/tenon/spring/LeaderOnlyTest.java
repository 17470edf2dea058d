package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tenon.LeaseLostException;
import dev.tenon.lock.Election;
import dev.tenon.lock.Lease;
import dev.tenon.lock.Locks;
import dev.tenon.memory.MemoryBackend;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

/** Two applications on one store, of which one leads. */
class LeaderOnlyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MemoryBackend store = MemoryBackend.create();
    private final ConfigurableApplicationContext first = application();
    private final ConfigurableApplicationContext second = application();

    @AfterEach
    void close() {
        first.close();
        second.close();
        store.close();
    }

    @Test
    void onlyTheLeaderRunsAndAnotherTakesOver() {
        await().atMost(PATIENCE).until(() -> runs(first) + runs(second) >= 3);
        ConfigurableApplicationContext leader = runs(first) > 0 ? first : second;
        ConfigurableApplicationContext other = leader == first ? second : first;
        assertThat(runs(other)).isZero();
        assertThat(leader.getBean(Leaders.class).led()).containsExactly("report");
        assertThat(other.getBean(Leaders.class).led()).isEmpty();
        Election.Leader seen =
                other.getBean(Locks.class).election("report").leader().orElseThrow();
        assertThat(seen.value()).startsWith("shop/");

        leader.close();
        await().atMost(PATIENCE).until(() -> runs(other) >= 2);
    }

    @Test
    void aLeadershipThatIsLostIsReported() {
        Job job = first.getBean(Job.class);
        assertThatThrownBy(() -> job.lead(token -> {
                    Lease lease = first.getBean(CurrentLease.class).lease();
                    Locks locks = first.getBean(Locks.class);
                    assertThat(locks.evict("other", token, "a test")).isPresent();
                    store.locks().lock("other").tryAcquire().orElseThrow().close();
                    // Asks for something that only a holder gets: so it knows, and not at its next renewal.
                    assertThatThrownBy(() -> locks.readWriteLock("other").downgradeToRead(lease))
                            .isInstanceOf(LeaseLostException.class);
                    assertThat(lease.state()).isEqualTo(Lease.State.LOST);
                }))
                .isInstanceOf(LeaseLostException.class);
        job.lead(token -> assertThat(first.getBean(Leaders.class).led()).contains("other"));
    }

    private static int runs(ConfigurableApplicationContext application) {
        return application.getBean(AtomicInteger.class).get();
    }

    private ConfigurableApplicationContext application() {
        return new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.main.banner-mode=off", "spring.application.name=shop")
                .initializers(context -> context.getBeanFactory().registerSingleton("store", store))
                .run();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(excludeName = "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    @EnableScheduling
    static class Application {
        /** Another process, as far as the store can tell. */
        @Bean
        Locks locks(MemoryBackend store) {
            return Locks.over(store.lockStore());
        }

        @Bean
        TenonBackend backend(MemoryBackend store, Locks locks) {
            return new TenonBackend("memory", locks, store.ranges(), store::workerIds);
        }

        @Bean
        AtomicInteger runs() {
            return new AtomicInteger();
        }

        @Bean
        Job job(AtomicInteger runs, CurrentLease lease) {
            return new Job(runs, lease);
        }
    }

    static class Job {
        private final AtomicInteger runs;
        private final CurrentLease lease;

        Job(AtomicInteger runs, CurrentLease lease) {
            this.runs = runs;
            this.lease = lease;
        }

        @Scheduled(fixedDelay = 20)
        @LeaderOnly("report")
        public void report() {
            assertThat(lease.token()).isPositive();
            runs.incrementAndGet();
        }

        @LeaderOnly("other")
        public void lead(Consumer<Long> step) {
            step.accept(lease.token());
        }
    }
}
