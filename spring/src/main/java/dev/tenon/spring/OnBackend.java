package dev.tenon.spring;

import java.util.Objects;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** The condition of {@link ConditionalOnBackend}. */
final class OnBackend extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        BackendKind wanted = (BackendKind)
                Objects.requireNonNull(metadata.getAnnotationAttributes(ConditionalOnBackend.class.getName()))
                        .get("value");
        BackendChoice choice =
                BackendChoice.of(context.getEnvironment(), Objects.requireNonNull(context.getClassLoader()));
        String found = choice.kind().map(BackendKind::key).orElse(choice.problem());
        return new ConditionOutcome(
                choice.kind().filter(kind -> kind == wanted).isPresent(), "the backend of Tenon: " + found);
    }
}
