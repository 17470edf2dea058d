package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.testkit.FaultProxy;
import dev.tenon.testkit.RedisAddress;
import dev.tenon.testkit.RedisServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Health, metrics, and what is wrong in the configuration of public IDs. */
class OperationsTest {
    private static final String KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()));

    @Test
    void healthIsWhetherTheStoreAnswers() throws Exception {
        RedisAddress redis = RedisServer.shared().newDatabase();
        try (FaultProxy proxy = FaultProxy.to(redis.socket())) {
            runner.withPropertyValues(
                            "tenon.backend=redis",
                            "tenon.redis.command-timeout=20s",
                            "tenon.redis.uri=" + redis.at(proxy.address()).uri())
                    .run(context -> {
                        HealthIndicator health = context.getBean("tenonHealthIndicator", HealthIndicator.class);
                        Health up = health.health();
                        assertThat(up.getStatus()).isEqualTo(Status.UP);
                        assertThat(up.getDetails()).containsEntry("backend", "redis");
                        proxy.refuseNew();
                        proxy.cut();
                        Health down = health.health();
                        assertThat(down.getStatus()).isEqualTo(Status.DOWN);
                        assertThat(down.getDetails().get("reason")).asString().startsWith("redis: ");
                    });
        }
    }

    @Test
    void healthCanBeSwitchedOff() {
        runner.withPropertyValues("tenon.backend=memory", "management.health.tenon.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("tenonHealthIndicator"));
    }

    @Test
    void withoutAStoreThereIsStillAnEndpoint() {
        runner.withPropertyValues(
                        "tenon.backend=none",
                        "tenon.ids.event.kind=uuid",
                        "management.endpoints.web.exposure.include=tenon")
                .run(context -> {
                    assertThat(context).doesNotHaveBean("tenonHealthIndicator");
                    TenonEndpoint.Report report =
                            context.getBean(TenonEndpoint.class).report();
                    assertThat(report)
                            .isEqualTo(new TenonEndpoint.Report(
                                    "none",
                                    List.of(),
                                    List.of(),
                                    List.of(new TenonEndpoint.Ids("event", "uuid", null))));
                });
    }

    @Test
    void onlyWhatIsCountedHasAMeter() {
        runner.withPropertyValues(
                        "tenon.backend=none",
                        "tenon.ids.event.kind=uuid",
                        "tenon.ids.order.kind=snowflake",
                        "tenon.ids.order.worker-id=1")
                .run(context -> {
                    MeterRegistry registry = new SimpleMeterRegistry();
                    context.getBeansOfType(MeterBinder.class).values().forEach(meters -> meters.bindTo(registry));
                    assertThat(registry.getMeters())
                            .extracting(meter -> meter.getId().getTag("name"))
                            .containsExactly("order");
                });
    }

    @Test
    void aWrongKeyIsSaidWithoutBeingShown() {
        for (String key : List.of("AAAA", "not base 64 at all")) {
            runner.withPropertyValues(
                            "tenon.backend=none",
                            "tenon.public-ids.order.prefix=ord",
                            "tenon.public-ids.order.keys.1=" + key)
                    .run(context -> {
                        var failure = new TenonFailureAnalyzer().analyze(context.getStartupFailure());
                        assertThat(failure.getDescription())
                                .contains("tenon.public-ids.order")
                                .doesNotContain(key);
                        assertThat(failure.getAction()).contains("openssl rand");
                    });
        }
        assertThatThrownBy(() -> ids().named("coupon"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("[order]");
    }

    private static PublicIds ids() {
        return PublicIds.of(Map.of("order", new TenonProperties.PublicIdDefinition("ord", Map.of(1, KEY), null)));
    }
}
