package dev.tenon.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code tenon id show}. */
@Command(
        name = "show",
        description = "Shows the definition of a name, how far it got, when it runs out, and the holders of its "
                + "worker IDs.",
        mixinStandardHelpOptions = true)
final class IdShowCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            defaultValue = "default",
            description = "The name (default: default).")
    private String name = "default";

    @Override
    public Integer call() {
        JsonNode answer = server.client().fetch("/v1/ids/" + ServerClient.segment(name));
        if (!server.printed(answer)) {
            answer.properties().forEach(p -> {
                if (!List.of("outlook", "workers", "byCode").contains(p.getKey())) {
                    JsonNode value = p.getValue();
                    server.out().println("%-12s %s".formatted(p.getKey(), value.isObject() ? value : value.asString()));
                }
            });
            Outlook.lines(answer).forEach(line -> server.out().println("%-12s %s".formatted("outlook", line)));
            workers(answer.path("workers"));
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    private void workers(JsonNode workers) {
        if (workers.isEmpty()) {
            return;
        }
        server.out().println();
        Table table = new Table("WORKER ID", "HOLDER", "SINCE", "LEASE LEFT", "TIME FENCE");
        for (JsonNode worker : workers) {
            table.row(
                    worker.path("workerId").asString(),
                    worker.path("owner").asString(),
                    worker.path("since").asString(),
                    worker.path("leaseLeft").asString("free"),
                    worker.path("fence").asString());
        }
        table.print(server.out());
    }
}
