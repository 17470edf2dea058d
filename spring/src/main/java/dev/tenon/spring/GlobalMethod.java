package dev.tenon.spring;

import dev.tenon.tx.global.GlobalOptions;
import java.util.List;

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
