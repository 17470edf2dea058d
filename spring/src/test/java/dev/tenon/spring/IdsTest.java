package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.machine.WorkerTable;
import dev.tenon.id.spi.WorkerClaim;
import dev.tenon.id.spi.WorkerIdSource;
import dev.tenon.id.spi.WorkerSlot;
import dev.tenon.id.spi.WorkerSlotView;
import dev.tenon.id.standard.UlidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import dev.tenon.memory.MemoryBackend;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** IDs by name from the configuration. */
class IdsTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
            .withPropertyValues("tenon.backend=memory");

    @Test
    void eachNameIsABean() {
        runner.withPropertyValues(
                        "tenon.ids.order.kind=snowflake",
                        "tenon.ids.order.layout=js-safe",
                        "tenon.ids.order.lane=striped",
                        "tenon.ids.order.epoch=2026-01-01T00:00:00Z",
                        "tenon.ids.coupon.kind=segment",
                        "tenon.ids.coupon.start=5000",
                        "tenon.ids.coupon.size=10",
                        "tenon.ids.ticket.kind=shuffled",
                        "tenon.ids.invoice.kind=sequence",
                        "tenon.ids.receipt.kind=template",
                        "tenon.ids.receipt.template=R{yyyy}-{seq:4}",
                        "tenon.ids.receipt.reset=yearly",
                        "tenon.ids.session.kind=uuid",
                        "tenon.ids.event.kind=ulid")
                .withBean(Shop.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    long order = ids(context, "order").nextId();
                    IdLayout layout = IdLayout.jsSafe().withEpoch(Instant.parse("2026-01-01T00:00:00Z"));
                    assertThat(layout.decode(order).time())
                            .isBetween(
                                    Instant.now().minusSeconds(60),
                                    Instant.now().plusSeconds(1));
                    assertThat(ids(context, "coupon").nextId()).isEqualTo(5000);
                    assertThat(ids(context, "ticket").nextId()).isPositive();
                    assertThat(ids(context, "invoice").nextId()).isEqualTo(1);
                    assertThat(ids(context, "invoice").nextId()).isEqualTo(2);
                    assertThat(context.getBean(TemplateGenerator.class).nextId())
                            .matches("R\\d{4}-0001");
                    assertThat(context.getBean(UuidGenerator.class).nextUuid().version())
                            .isEqualTo(7);
                    assertThat(context.getBean(UlidGenerator.class).nextUlid()).isNotNull();
                    assertThat(context.getBean(Shop.class).orders).isSameAs(ids(context, "order"));
                    assertThat(context.getBean(IdFactory.class).issued().applyAsLong("invoice"))
                            .isEqualTo(2);
                    long[] filled = new long[3];
                    ids(context, "invoice").fill(filled);
                    assertThat(filled).containsExactly(3, 4, 5);
                    assertThat(context.getBean(IdFactory.class).issued().applyAsLong("invoice"))
                            .isEqualTo(5);
                });
    }

    @Test
    void aWorkerIdOfItsOwnNeedsNoStore() {
        runner.withPropertyValues("tenon.backend=none", "tenon.ids.order.kind=snowflake", "tenon.ids.order.worker-id=7")
                .run(context -> assertThat(IdLayout.twitter()
                                .decode(ids(context, "order").nextId())
                                .workerId())
                        .isEqualTo(7));
    }

    @Test
    void aWorkerIdIsLeasedAndGivenBack() {
        runner.withPropertyValues("tenon.ids.order.kind=snowflake", "tenon.ids.order.group=shop")
                .run(context -> {
                    ids(context, "order").nextId();
                    TenonBackend backend = context.getBean(TenonBackend.class);
                    assertThat(backend.workerIds().apply("shop").census()).hasSize(1);
                    ((CountedIds) ids(context, "order")).close();
                    assertThat(backend.workerIds().apply("shop").census())
                            .allSatisfy(slot -> assertThat(slot.leaseLeft()).isZero());
                });
    }

    /** Without the key the start would wait for as long as a lease is. */
    @Test
    void aNewStoreIsNotWaitedFor() {
        runner.withPropertyValues("tenon.ids.order.kind=snowflake", "tenon.ids.order.new-store=true")
                .withUserConfiguration(Forgetful.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    ids(context, "order").nextId();
                    assertThat(context.getBean(Store.class).forgotten).isFalse();
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBeansOfType(MeterBinder.class).values().forEach(meters -> meters.bindTo(registry));
                    assertThat(registry.get("tenon.worker.ids.forgotten")
                                    .functionCounter()
                                    .count())
                            .isZero();
                    context.getBean(Store.class).forget();
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> registry.get("tenon.worker.ids.forgotten")
                                            .functionCounter()
                                            .count()
                                    == 1);
                    ids(context, "order").nextId();
                });
    }

    @Test
    void whatIsWrongIsSaidWithItsKey() {
        assertThat(failureOf("tenon.backend=none", "tenon.ids.order.kind=segment")
                        .getDescription())
                .contains("tenon.ids.order needs a store");
        assertThat(failureOf("tenon.ids.order.kind=template").getAction()).contains("tenon.ids.order.template");
        assertThat(failureOf("tenon.ids.order.kind=template", "tenon.ids.order.template={nothing}")
                        .getDescription())
                .contains("tenon.ids.order isn't right");
        assertThat(failureOf("tenon.ids.order.kind=snowflake", "tenon.ids.order.worker-id=5000")
                        .getDescription())
                .contains("tenon.ids.order isn't right", "5000");
        assertThat(failureOf("tenon.ids.tenonLocks.kind=uuid").getDescription()).contains("another bean of that name");
    }

    @Test
    void anUnknownKindIsRefused() {
        runner.withPropertyValues("tenon.ids.order.kind=random")
                .run(context -> assertThat(context).getFailure().rootCause().hasMessageContaining("random"));
    }

    private FailureAnalysis failureOf(String... properties) {
        FailureAnalysis[] failure = new FailureAnalysis[1];
        runner.withPropertyValues(properties).run(context -> {
            assertThat(context).hasFailed();
            failure[0] = new TenonFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(failure[0])
                    .as("analysis of %s", context.getStartupFailure())
                    .isNotNull();
        });
        return failure[0];
    }

    private static IdGenerator ids(AssertableApplicationContext context, String name) {
        return context.getBean(name, IdGenerator.class);
    }

    /** A store that says of itself when it may have forgotten. */
    static final class Store {
        private WorkerTable table = new WorkerTable();
        private boolean forgotten;

        synchronized void forget() {
            table = new WorkerTable();
            forgotten = true;
        }

        private synchronized <T> T call(Function<WorkerTable, T> call) {
            return call.apply(table);
        }

        WorkerIdSource group(String group) {
            return new WorkerIdSource() {
                @Override
                public WorkerSlot claim(WorkerClaim claim) {
                    return call(table -> table.claim(group, claim, "run " + forgotten, Instant.now()))
                            .orThrow(group);
                }

                @Override
                public boolean renew(WorkerSlot slot, Duration lease, Instant fence) {
                    return call(table -> table.renew(group, slot, lease, fence, Instant.now()));
                }

                @Override
                public void release(WorkerSlot slot, Instant lastUsed) {
                    call(table -> {
                        table.release(group, slot, lastUsed, Instant.now());
                        return group;
                    });
                }

                @Override
                public List<WorkerSlotView> census() {
                    return call(table -> table.census(group, Instant.now()));
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Forgetful {
        @Bean
        Store store() {
            return new Store();
        }

        @Bean
        TenonBackend own(Store store) {
            MemoryBackend memory = MemoryBackend.create();
            return new TenonBackend("own", memory.locks(), memory.ranges(), store::group);
        }
    }

    static class Shop {
        final IdGenerator orders;

        Shop(@Qualifier("order") IdGenerator orders) {
            this.orders = orders;
        }
    }
}
