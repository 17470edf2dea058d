package dev.tenon.raft;

import dev.tenon.DaemonThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;

/** Asks all peers of a node at once: some may be gone without a word, and a node is not to start later for that. */
final class PeerRound {
    private PeerRound() {}

    /**
     * Returns when one has said enough, or all have answered.
     *
     * @param ask of one peer, by its name; threads call it at once, and it throws nothing
     * @param enough what one peer can say that makes the others' answers needless
     * @return the answers so far, the last of them being enough, if any was; none when interrupted
     */
    static <T> List<T> of(RaftCluster cluster, Function<String, T> ask, Predicate<T> enough) {
        ExecutorService asking = Executors.newCachedThreadPool(DaemonThreads.named("tenon-raft-peers"));
        List<T> answers = new ArrayList<>();
        try {
            CompletionService<T> coming = new ExecutorCompletionService<>(asking);
            List<String> others = cluster.peers().keySet().stream()
                    .filter(name -> !name.equals(cluster.node()))
                    .toList();
            others.forEach(name -> coming.submit(() -> ask.apply(name)));
            while (answers.size() < others.size()) {
                T answer = coming.take().get();
                answers.add(answer);
                if (enough.test(answer)) {
                    break;
                }
            }
            return answers;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        } finally {
            asking.shutdownNow();
        }
    }
}
