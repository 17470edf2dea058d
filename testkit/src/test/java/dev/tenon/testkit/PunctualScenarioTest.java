package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Over a store that is always late. */
class PunctualScenarioTest implements PunctualScenario {
    private int runs;
    private int beginnings;

    @Override
    public Duration inTime() {
        return Duration.ofNanos(1);
    }

    @Override
    public Object askStore() {
        return "";
    }

    @Override
    public void startAnew() {
        beginnings++;
    }

    @Test
    void whatFailedIsTriedAgainWithAllOfItsOwnMadeAnew() {
        runs++;
        assertThat(beginnings).isEqualTo(runs - 1);
        assertThat(runs).as("fails twice").isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(strings = "a")
    void soIsOneWithParameters(String parameter) {
        runs++;
        assertThat(parameter).isEqualTo("a");
        assertThat(runs).as("fails once").isEqualTo(2);
    }

    @Test
    void whatPassedIsNot() {
        runs++;
        assertThat(runs).isEqualTo(1);
    }

    /** Over the same store, but with assertions that must hold at any pace. */
    @Nested
    @ExtendWith(FailsAsExpected.class)
    class WrongAtAnyPace implements PunctualScenario {
        private int attempts;

        @Override
        public Duration inTime() {
            return Duration.ofNanos(1);
        }

        @Override
        public Object askStore() {
            return "";
        }

        @Override
        public void startAnew() {}

        @Override
        public boolean maySpoil(Throwable failure) {
            return !(failure instanceof AssertionError);
        }

        @AfterEach
        void twice() {
            assertThat(attempts).isEqualTo(2);
        }

        @Test
        void anAssertionFailsAtOnceAndAnythingElseIsTriedAgain() {
            attempts++;
            if (attempts == 1) {
                throw new IllegalStateException("no answer");
            }
            throw new AssertionError("attempt " + attempts);
        }
    }

    /** The test fails, and that is what it is for. */
    static final class FailsAsExpected implements TestExecutionExceptionHandler {
        @Override
        public void handleTestExecutionException(ExtensionContext context, Throwable failure) {
            assertThat(failure).isInstanceOf(AssertionError.class).hasMessage("attempt 2");
        }
    }
}
