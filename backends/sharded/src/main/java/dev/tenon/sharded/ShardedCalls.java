package dev.tenon.sharded;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Asks several nodes at the same time. */
final class ShardedCalls {
    private ShardedCalls() {}

    /** The answers in the order of the questions. Fails if one fails. */
    static <Q, A> CompletableFuture<List<A>> inOrder(List<Q> questions, Function<Q, CompletionStage<A>> ask) {
        List<CompletableFuture<A>> asked =
                questions.stream().map(q -> ask.apply(q).toCompletableFuture()).toList();
        return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> asked.stream().map(CompletableFuture::join).toList());
    }

    /** The answers by node. Fails if one fails. */
    static <Q, A> CompletableFuture<Map<String, List<A>>> each(
            Map<String, List<Q>> questions, BiFunction<String, List<Q>, CompletionStage<List<A>>> ask) {
        List<String> labels = List.copyOf(questions.keySet());
        return inOrder(labels, label -> ask.apply(label, questions.getOrDefault(label, List.of())))
                .thenApply(answers -> {
                    Map<String, List<A>> byLabel = new HashMap<>();
                    for (int i = 0; i < labels.size(); i++) {
                        byLabel.put(labels.get(i), answers.get(i));
                    }
                    return byLabel;
                });
    }

    /** The answers of the nodes that gave one. Fails if none did. */
    static <Q, A> CompletableFuture<Map<String, List<A>>> eachThatAnswers(
            Map<String, List<Q>> questions, BiFunction<String, List<Q>, CompletionStage<List<A>>> ask) {
        Map<String, CompletableFuture<List<A>>> asked = new LinkedHashMap<>();
        questions.forEach(
                (label, part) -> asked.put(label, ask.apply(label, part).toCompletableFuture()));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture<?>[]::new))
                .handle((done, failure) -> {
                    Map<String, List<A>> answers = new HashMap<>();
                    asked.forEach((label, answer) -> {
                        if (!answer.isCompletedExceptionally()) {
                            answers.put(label, answer.join());
                        }
                    });
                    if (failure != null && answers.isEmpty()) {
                        throw failure instanceof CompletionException known ? known : new CompletionException(failure);
                    }
                    return answers;
                });
    }
}
