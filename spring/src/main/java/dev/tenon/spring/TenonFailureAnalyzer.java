package dev.tenon.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says in two sentences what {@link TenonStartException} is about, in place of a stack trace. */
final class TenonFailureAnalyzer extends AbstractFailureAnalyzer<TenonStartException> {
    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, TenonStartException cause) {
        return new FailureAnalysis(String.valueOf(cause.getMessage()), cause.advice(), cause);
    }
}
