package dev.tenon.cli;

import dev.tenon.DaemonThreads;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon cluster add}. */
@Command(
        name = "add",
        description = {
            "Adds a running node to the cluster, and waits until it has caught up.",
            "Start the node first, with a new folder: tenon server --node NAME --peers …, with all members and itself."
        },
        mixinStandardHelpOptions = true)
final class ClusterAddCommand implements Callable<Integer> {
    private static final Duration CATCH_UP_MAX = Duration.ofMinutes(10);
    private static final Duration TELL = Duration.ofSeconds(2);

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The node.")
    private String name = "";

    @Parameters(index = "1", paramLabel = "HOST:PORT", description = "Its address for the other nodes.")
    private String address = "";

    @Override
    public Integer call() throws InterruptedException {
        ServerClient client = server.client();
        CompletableFuture<JsonNode> added = CompletableFuture.supplyAsync(
                () -> client.send(
                        "POST", "/v1/cluster/members", Map.of("name", name, "address", address), CATCH_UP_MAX),
                ClusterAddCommand::beside);
        JsonNode cluster = awaited(added);
        if (!server.printed(cluster)) {
            server.out().println(name + " is a member");
            ClusterStatusCommand.print(server, cluster);
        }
        return ExitCode.OK.code();
    }

    private static void beside(Runnable task) {
        DaemonThreads.of("tenon-cluster-add", task).start();
    }

    private JsonNode awaited(CompletableFuture<JsonNode> added) throws InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                return added.get(TELL.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                server.err()
                        .println("tenon: " + name + " is catching up, since "
                                + TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begun) + " s");
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException failure) {
                    throw failure;
                }
                throw new IllegalStateException(e);
            }
        }
    }
}
