package dev.tenon.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PatientAwaitsTest {
    @Test
    void aConditionThatSaysNothingOfItsTimeHasMoreThanTenSeconds() {
        AtomicLong leftMillis = new AtomicLong();
        await().conditionEvaluationListener(look -> leftMillis.set(look.getRemainingTimeInMS()))
                .until(() -> true);
        assertThat(leftMillis).hasValueGreaterThan(20_000);
    }
}
