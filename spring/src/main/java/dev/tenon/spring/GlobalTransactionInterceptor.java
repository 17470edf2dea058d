package dev.tenon.spring;

import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalScope;
import dev.tenon.tx.global.GlobalTransactions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.MethodClassKey;
import org.springframework.core.env.Environment;

/** Runs methods with {@link GlobalTransaction} in one. Thread-safe. */
final class GlobalTransactionInterceptor implements MethodInterceptor {
    private final Supplier<Parts> parts;
    /** By class, too: subclasses that inherit a method may say different things of it. */
    private final Map<MethodClassKey, GlobalMethod> known = new ConcurrentHashMap<>();

    /**
     * What is needed, which is made when it is first needed: an interceptor is there before most beans.
     *
     * @param transactions the transactions
     * @param environment for placeholders
     * @param timeout of methods that say none
     * @param inLocalTransaction whether a transaction of Spring's is open in this thread
     */
    record Parts(
            GlobalTransactions transactions,
            Environment environment,
            Duration timeout,
            BooleanSupplier inLocalTransaction) {}

    GlobalTransactionInterceptor(Supplier<Parts> parts) {
        this.parts = parts;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Parts now = parts.get();
        Class<?> target = Objects.requireNonNull(call.getThis()).getClass();
        Method method = AopUtils.getMostSpecificMethod(call.getMethod(), target);
        GlobalMethod asked = known.computeIfAbsent(
                new MethodClassKey(method, target),
                key -> GlobalMethod.of(method, target, now.environment(), now.timeout()));
        GlobalScope scope = now.transactions().scope();
        if (changesTransaction(asked.options(), scope)
                && now.inLocalTransaction().getAsBoolean()) {
            throw new IllegalStateException(
                    asked.options().name() + " begins or leaves a global transaction within a local one,"
                            + " whose connection is in it or not already: put @GlobalTransaction round @Transactional, on the"
                            + " same method or on one that calls it");
        }
        return now.transactions()
                .<Optional<Object>, Throwable>call(
                        asked.options(), asked::rollsBack, () -> Optional.ofNullable(call.proceed()))
                .orElse(null);
    }

    private static boolean changesTransaction(GlobalOptions options, GlobalScope scope) {
        boolean there = scope.current().isPresent();
        return switch (options.propagation()) {
            case REQUIRED -> !there && !options.readOnly() && !scope.isReadOnly();
            case REQUIRES_NEW -> true;
            case NOT_SUPPORTED -> there;
            case SUPPORTS, MANDATORY, NEVER -> false;
        };
    }
}
