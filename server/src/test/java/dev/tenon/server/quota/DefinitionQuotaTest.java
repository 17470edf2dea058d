package dev.tenon.server.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.OutcomeUnknownException;
import dev.tenon.id.WorkerIdsForgottenException;
import dev.tenon.server.access.LimitedResource;
import dev.tenon.server.access.Limits;
import java.time.Duration;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DefinitionQuotaTest {
    private final Quotas quotas = Quotas.within(Limits.DEFAULT);
    private final DefinitionQuota names = quotas.definitions();

    private void use(String name, Supplier<Boolean> work) {
        names.using("key", name, 0, () -> false, work);
    }

    private void refused(String name, RuntimeException failure) {
        assertThatThrownBy(() -> use(name, () -> {
                    throw failure;
                }))
                .isSameAs(failure);
    }

    @Test
    void aNameThatWasNotUsedIsNotCharged() {
        refused("workers a", new IllegalArgumentException("no"));
        assertThat(quotas.of(LimitedResource.DEFINITIONS).used()).isZero();
    }

    @Test
    void aGroupThatGivesNoWorkerIdYetIsThereAndCharged() {
        refused("workers a", new WorkerIdsForgottenException("not yet", Duration.ofSeconds(30)));
        refused("workers a", new WorkerIdsForgottenException("not yet", Duration.ofSeconds(29)));
        refused("workers b", new OutcomeUnknownException("lost"));
        use("workers a", () -> true);
        assertThat(quotas.of(LimitedResource.DEFINITIONS).used()).isEqualTo(2);
    }
}
