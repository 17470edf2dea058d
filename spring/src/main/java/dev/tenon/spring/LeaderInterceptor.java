package dev.tenon.spring;

import dev.tenon.lock.Lease;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;

/** Runs methods with {@link LeaderOnly} where this process leads. Thread-safe. */
final class LeaderInterceptor implements MethodInterceptor {
    private final Supplier<Leaders> leaders;
    private final Supplier<LeaseScope> scope;
    private final Environment environment;

    LeaderInterceptor(Supplier<Leaders> leaders, Supplier<LeaseScope> scope, Environment environment) {
        this.leaders = leaders;
        this.scope = scope;
        this.environment = environment;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Method method = AopUtils.getMostSpecificMethod(
                call.getMethod(), Objects.requireNonNull(call.getThis()).getClass());
        LeaderOnly asked = Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(method, LeaderOnly.class));
        Optional<Lease> lease = leaders.get().lead(environment.resolveRequiredPlaceholders(asked.value()));
        if (lease.isEmpty()) {
            return null;
        }
        LeaseScope leases = scope.get();
        leases.enter(lease.get());
        try {
            Object result = call.proceed();
            LeaseScope.requireHeld(lease.get(), LockedMethods.label(method) + " has run, its last part without it");
            return result;
        } finally {
            leases.leave(lease.get());
        }
    }
}
