package dev.tenon.client;

import static org.awaitility.Awaitility.await;

import dev.tenon.client.HttpNode.Answer;
import dev.tenon.testkit.ServerData;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;

/** What faults share: a cluster, its load, and the steps of an operator who puts a node right. For one thread. */
final class FaultScene {
    static final Duration PATIENCE = Duration.ofSeconds(300);
    private static final Duration CALL = Duration.ofSeconds(60);
    private static final int ANSWERS = 40;

    final ServerCluster cluster;
    final ClusterLoad load;
    final Random random;

    FaultScene(ServerCluster cluster, ClusterLoad load, Random random) {
        this.cluster = cluster;
        this.load = load;
        this.random = random;
    }

    /** Waits until some more calls are answered: who has a majority goes on. */
    void goOn() {
        load.awaitAnswers(ANSWERS);
    }

    String leader() {
        return cluster.leader();
    }

    String follower() {
        return any(cluster.beside(leader()));
    }

    String member() {
        return any(List.copyOf(cluster.members()));
    }

    <T> T any(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** A name that is no member. */
    String stranger() {
        return any(cluster.names().stream()
                .filter(name -> !cluster.members().contains(name))
                .toList());
    }

    void restart(String name) {
        cluster.start(name);
        cluster.awaitReady(name);
    }

    /** Starts a node with an empty folder, and lets it in, in the place of the one of that name if there was one. */
    void join(String name) {
        ServerData.delete(cluster.data(name));
        cluster.start(name);
        String node = "{\"name\":\"" + name + "\",\"address\":\"" + cluster.address(name) + "\"}";
        // It may not have found the others yet.
        change(name, (asked, body) -> asked.call("POST", "/v1/cluster/members", node));
        cluster.members().add(name);
        cluster.awaitReady(name);
    }

    /** Lets a node go, and ends it. */
    void leave(String name) {
        change(name, (asked, body) -> asked.call("DELETE", "/v1/cluster/members?name=" + name, ""));
        cluster.members().remove(name);
        cluster.kill(name);
        ServerData.delete(cluster.data(name));
    }

    private void change(String name, BiFunction<HttpNode, String, Answer> ask) {
        List<String> others = cluster.beside(name);
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(UncheckedIOException.class)
                .until(() -> {
                    Answer answer = ask.apply(cluster.client(any(others), CALL), name);
                    // It may be done, and the answer lost.
                    return answer.status() == 200
                            || answer.status() == 404 && answer.problem().equals("unknown-member");
                });
    }
}
