package dev.tenon.spring;

import dev.tenon.tx.global.GlobalOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;

/**
 * What {@link GlobalTransaction} says of a method.
 *
 * @param options how it begins
 * @param rollbackFor what rolls back
 * @param noRollbackFor what does not
 */
record GlobalMethod(
        GlobalOptions options,
        List<Class<? extends Throwable>> rollbackFor,
        List<Class<? extends Throwable>> noRollbackFor) {
    /**
     * Reads the annotation of the method, or else of the class that it is called on, which may have inherited the
     * method.
     *
     * @param environment for placeholders
     * @param timeout of methods that say none
     * @throws TenonStartException if what it says can't be followed
     */
    static GlobalMethod of(Method method, Class<?> target, Environment environment, Duration timeout) {
        GlobalTransaction onMethod = AnnotatedElementUtils.findMergedAnnotation(method, GlobalTransaction.class);
        GlobalTransaction said = onMethod != null
                ? onMethod
                : Objects.requireNonNull(AnnotatedElementUtils.findMergedAnnotation(target, GlobalTransaction.class));
        String label = onMethod != null ? LockedMethods.label(method) : target.getSimpleName() + "." + method.getName();
        try {
            String text = environment.resolveRequiredPlaceholders(said.timeout());
            return new GlobalMethod(
                    new GlobalOptions(
                            label,
                            said.propagation(),
                            text.isBlank() ? timeout : DurationStyle.detectAndParse(text),
                            said.readOnly()),
                    List.of(said.rollbackFor()),
                    List.of(said.noRollbackFor()));
        } catch (IllegalArgumentException e) {
            throw new TenonStartException(
                    "@GlobalTransaction on " + label + " can't be followed, its timeout is "
                            + (said.timeout().isEmpty()
                                    ? "tenon.transactions.timeout: "
                                    : "\"" + said.timeout() + "\": ")
                            + e.getMessage(),
                    "Set it to a duration of 1 ms to 365 days such as \"10s\" or \"2m\", or \"${a.key}\" with the key of one.",
                    e);
        }
    }

    /** As Spring's rules: the closest class decides, and without one it is what is unchecked. */
    boolean rollsBack(Throwable failure) {
        int rollBack = closest(rollbackFor, failure);
        int commit = closest(noRollbackFor, failure);
        if (rollBack == Integer.MAX_VALUE && commit == Integer.MAX_VALUE) {
            return failure instanceof RuntimeException || failure instanceof Error;
        }
        return rollBack <= commit;
    }

    private static int closest(List<Class<? extends Throwable>> rules, Throwable failure) {
        int depth = 0;
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            if (rules.contains(type)) {
                return depth;
            }
            depth++;
        }
        return Integer.MAX_VALUE;
    }
}
