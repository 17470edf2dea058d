package dev.tenon.spring;

import org.jspecify.annotations.Nullable;

/** Why the application can't start, and what to do about it; shown by {@link TenonFailureAnalyzer}. */
final class TenonStartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String advice;

    TenonStartException(String problem, String advice) {
        this(problem, advice, null);
    }

    TenonStartException(String problem, String advice, @Nullable Throwable cause) {
        super(problem, cause);
        this.advice = advice;
    }

    String advice() {
        return advice;
    }
}
