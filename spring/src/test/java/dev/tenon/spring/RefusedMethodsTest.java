package dev.tenon.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.web.context.request.async.DeferredResult;

/** What would run without its lock, and say nothing, does not start. */
class RefusedMethodsTest {
    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of(OfPrivate.class, "private, static or final"),
                Arguments.of(OfFinal.class, "private, static or final"),
                Arguments.of(OfStatic.class, "private, static or final"),
                Arguments.of(OfFinalClass.class, "is final"),
                Arguments.of(OfRecord.class, "is final"),
                Arguments.of(OfFuture.class, "returns a CompletableFuture"),
                Arguments.of(OfCallable.class, "returns a Callable"),
                Arguments.of(OfStream.class, "returns a Stream"),
                Arguments.of(OfDeferred.class, "returns a DeferredResult"),
                Arguments.of(UnknownVariable.class, "no parameter #itm"),
                Arguments.of(NoExpression.class, "can't be followed"),
                Arguments.of(NoDuration.class, "can't be followed"),
                Arguments.of(NegativeWait.class, "can't be followed"),
                Arguments.of(LeaderOfFinal.class, "@LeaderOnly"),
                Arguments.of(LeaderWithAnswer.class, "returns something"));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void isRefusedAtTheStart(Class<?> type, String reason) {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withPropertyValues("tenon.backend=memory")
                .withBean(type)
                .run(context -> {
                    assertThat(context).hasFailed();
                    var failure = new TenonFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(failure)
                            .as("analysis of %s", context.getStartupFailure())
                            .isNotNull();
                    assertThat(failure.getDescription()).contains(reason, type.getSimpleName() + ".sell");
                    assertThat(failure.getAction()).isNotBlank();
                });
    }

    @Test
    void aFinalClassIsNoneIfItsInterfaceIsProxied() {
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withPropertyValues("tenon.backend=memory")
                .withBean(OfInterface.class)
                .run(context -> context.getBean(Sale.class).sell());
        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(Starter.autoConfigurations()))
                .withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class))
                .withPropertyValues("tenon.backend=memory")
                .withBean(OfInterface.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasRootCauseInstanceOf(TenonStartException.class)
                        .rootCause()
                        .hasMessageContaining("OfInterface.sell"));
    }

    static class OfPrivate {
        @Locked(key = "'a'")
        private void sell() {}

        /** So that the compiler finds it used. */
        void call() {
            sell();
        }
    }

    static class OfFinal {
        @Locked(key = "'a'")
        final void sell() {}
    }

    static final class OfFinalClass implements Runnable {
        @Locked(key = "'a'")
        public void sell() {}

        @Override
        public void run() {}
    }

    record OfRecord() {
        @LeaderOnly("a")
        public void sell() {}
    }

    /** Takes part by its interface. */
    interface Sale {
        void sell();
    }

    static final class OfInterface implements Sale {
        @Override
        @Locked(key = "'a'")
        public void sell() {}
    }

    static class OfStatic {
        @Locked(key = "'a'")
        static void sell() {}
    }

    static class OfFuture {
        @Locked(key = "'a'")
        public CompletableFuture<String> sell() {
            return new CompletableFuture<>();
        }
    }

    static class OfCallable {
        @Locked(key = "'a'")
        public Callable<String> sell() {
            return () -> "";
        }
    }

    static class OfStream {
        @Locked(key = "'a'")
        public Stream<String> sell() {
            return Stream.of();
        }
    }

    static class OfDeferred {
        @Locked(key = "'a'")
        public DeferredResult<String> sell() {
            return new DeferredResult<>();
        }
    }

    static class UnknownVariable {
        @Locked(key = "'#text' + #item + #itm")
        public void sell(String item) {}
    }

    static class NoExpression {
        @Locked(key = "'a' +")
        public void sell() {}
    }

    static class NoDuration {
        @Locked(key = "'a'", waitAtMost = "soon")
        public void sell() {}
    }

    static class NegativeWait {
        @Locked(key = "'a'", waitAtMost = "-1s")
        public void sell() {}
    }

    static class LeaderOfFinal {
        @LeaderOnly("a")
        final void sell() {}
    }

    static class LeaderWithAnswer {
        @LeaderOnly("a")
        public String sell() {
            return "";
        }
    }
}
