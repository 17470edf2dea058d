package dev.tenon.spring.global;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.spring.GlobalTransaction;
import dev.tenon.tx.global.GlobalPropagation;
import dev.tenon.tx.global.GlobalScope;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What {@code @GlobalTransaction} says of methods that are inherited, and what is refused at the start. */
class GlobalMethodsTest {
    @Test
    void subclassesMaySayDifferentThingsOfAMethodThatTheyInherit() {
        try (ConfigurableApplicationContext application = start(Reading.class, Outside.class, Writing.class)) {
            GlobalScope scope = application.getBean(GlobalScope.class);
            assertThat(seenBy(application.getBean(Reading.class), scope)).isEqualTo("no transaction, for reading");
            assertThat(seenBy(application.getBean(Outside.class), scope)).isEqualTo("no transaction");
            assertThat(seenBy(application.getBean(Writing.class), scope)).isEqualTo("a transaction");
            assertThat(seenBy(application.getBean(Reading.class), scope)).isEqualTo("no transaction, for reading");
        }
    }

    private static String seenBy(Work bean, GlobalScope scope) {
        AtomicReference<String> seen = new AtomicReference<>("nothing");
        bean.work(() -> seen.set((scope.current().isPresent() ? "a transaction" : "no transaction")
                + (scope.isReadOnly() ? ", for reading" : "")));
        return seen.get();
    }

    @Test
    void aTimeoutThatIsNoneIsRefusedAtTheStart() {
        assertThatThrownBy(() -> start(NoTimeout.class)).rootCause().hasMessageContaining("soon");
        assertThatThrownBy(() -> start(NoTimeout.class))
                .hasStackTraceContaining(
                        "@GlobalTransaction on NoTimeout.work can't be followed, its timeout is \"soon\"");
        assertThatThrownBy(() -> start(NoKey.class))
                .hasStackTraceContaining(
                        "@GlobalTransaction on NoKey.work can't be followed, its timeout is \"${no.key}\"");
        assertThatThrownBy(() -> start(NoTime.class))
                .hasStackTraceContaining("@GlobalTransaction on NoTime.work can't be followed, its timeout is \"0s\"")
                .hasStackTraceContaining("1 ms to 365 days");
        start(KnownKey.class).close();
    }

    @Test
    void aFinalClassIsRefusedAtTheStart() {
        assertThatThrownBy(() -> start(OfFinalClass.class))
                .hasStackTraceContaining("@GlobalTransaction on OfFinalClass.work")
                .hasStackTraceContaining("is final");
        assertThatThrownBy(() -> start(AllOfFinalClass.class))
                .hasStackTraceContaining("@GlobalTransaction on AllOfFinalClass.work");
    }

    private static ConfigurableApplicationContext start(Class<?>... beans) {
        return new SpringApplicationBuilder(Application.class)
                .sources(beans)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.main.banner-mode=off",
                        "spring.application.name=methods",
                        "tenon.jdbc.allow-in-memory-database=true",
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID(),
                        "tenon.backend=jdbc",
                        "tenon.transactions.automatic-undo=dataSource",
                        "known.key=5s")
                .run();
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    static class Work {
        public void work(Runnable work) {
            work.run();
        }
    }

    @GlobalTransaction(readOnly = true)
    static class Reading extends Work {}

    @GlobalTransaction(propagation = GlobalPropagation.NOT_SUPPORTED)
    static class Outside extends Work {}

    @GlobalTransaction
    static class Writing extends Work {}

    @GlobalTransaction(timeout = "soon")
    static class NoTimeout extends Work {}

    static class NoKey {
        @GlobalTransaction(timeout = "${no.key}")
        public void work() {}
    }

    static class NoTime {
        @GlobalTransaction(timeout = "0s")
        public void work() {}
    }

    static class KnownKey {
        @GlobalTransaction(timeout = "${known.key}")
        public void work() {}
    }

    static final class OfFinalClass {
        @GlobalTransaction
        public void work() {}
    }

    @GlobalTransaction
    static final class AllOfFinalClass {
        public void work() {}
    }
}
