package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.standard.UlidGenerator;
import dev.tenon.id.standard.UuidGenerator;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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

    static class Shop {
        final IdGenerator orders;

        Shop(@Qualifier("order") IdGenerator orders) {
            this.orders = orders;
        }
    }
}
