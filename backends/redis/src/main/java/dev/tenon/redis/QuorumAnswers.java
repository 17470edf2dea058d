package dev.tenon.redis;

import dev.tenon.BackendUnavailableException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What the nodes of a quorum answered, each or not.
 *
 * @param byNode the answers in the order of the nodes; empty where there was none
 * @param failure why one of them did not answer, if one did not
 */
record QuorumAnswers<T>(List<Optional<T>> byNode, @Nullable Throwable failure) {
    /** CompositeWaits for every node, which answers or fails within its own timeout. Never fails. */
    static <T> CompletableFuture<QuorumAnswers<T>> gather(
            List<QuorumNode> nodes, Function<QuorumNode, CompletionStage<T>> question) {
        List<CompletableFuture<T>> asked = nodes.stream()
                .map(node -> question.apply(node).toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .handle((all, anyFailure) -> of(asked));
    }

    /** CompositeWaits for every node, or until so many have answered that {@code decided} is true of what they said. */
    static <T> CompletableFuture<QuorumAnswers<T>> gatherUntil(
            List<QuorumNode> nodes, Function<QuorumNode, CompletionStage<T>> question, Predicate<List<T>> decided) {
        List<CompletableFuture<T>> asked = nodes.stream()
                .map(node -> question.apply(node).toCompletableFuture())
                .toList();
        CompletableFuture<QuorumAnswers<T>> enough = new CompletableFuture<>();
        for (CompletableFuture<T> each : asked) {
            each.whenComplete((answer, failure) -> {
                QuorumAnswers<T> sofar = of(asked);
                if (decided.test(sofar.given())) {
                    enough.complete(sofar);
                }
            });
        }
        CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .whenComplete((all, anyFailure) -> enough.complete(of(asked)));
        return enough;
    }

    private static <T> QuorumAnswers<T> of(List<CompletableFuture<T>> asked) {
        List<Optional<T>> answers = new ArrayList<>();
        Throwable failure = null;
        for (CompletableFuture<T> each : asked) {
            if (!each.isDone()) {
                answers.add(Optional.empty());
                continue;
            }
            try {
                answers.add(Optional.of(each.join()));
            } catch (RuntimeException e) {
                answers.add(Optional.empty());
                Throwable cause = RedisErrors.unwrap(e);
                failure = failure instanceof IllegalArgumentException ? failure : cause;
            }
        }
        return new QuorumAnswers<>(answers, failure);
    }

    List<T> given() {
        return byNode.stream().flatMap(Optional::stream).toList();
    }

    /**
     * These, if enough nodes answered.
     *
     * @throws IllegalArgumentException if a node refused the question as such
     * @throws BackendUnavailableException if fewer did
     */
    QuorumAnswers<T> require(int enough) {
        if (failure instanceof IllegalArgumentException refusal) {
            throw refusal;
        }
        if (given().size() < enough) {
            throw unavailable(given().size(), byNode.size(), enough, failure);
        }
        return this;
    }

    static BackendUnavailableException unavailable(int answered, int nodes, int enough, @Nullable Throwable failure) {
        String why = failure == null ? "" : ": " + failure.getMessage();
        return new BackendUnavailableException(
                "Only " + answered + " of " + nodes + " Redis nodes answer, and " + enough + " are needed" + why,
                failure);
    }

    /** The value that at least {@code count} of these reach: up to it, so many nodes agree. There must be as many. */
    static <V extends Comparable<V>> V reachedBy(int count, List<V> values) {
        return values.stream().sorted(Comparator.reverseOrder()).toList().get(count - 1);
    }
}
