package dev.tenon.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code tenon lock ls}. */
@Command(name = "ls", description = "Lists the locks that are held or waited for.", mixinStandardHelpOptions = true)
final class LockLsCommand implements Callable<Integer> {
    private static final int PAGE = 1000;

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "PREFIX", arity = "0..1", defaultValue = "", description = "Only names with this prefix.")
    private String prefix = "";

    @Override
    public Integer call() {
        ServerClient client = server.client();
        Table table = new Table("NAME", "HOLDER", "TOKEN", "LEASE LEFT", "WAITING");
        ObjectNode all = new JsonMapper().createObjectNode();
        ArrayNode collected = all.putArray("locks");
        String after = "";
        do {
            JsonNode page = client.fetch("/v1/locks?limit=" + PAGE + "&prefix=" + ServerClient.query(prefix) + "&after="
                    + ServerClient.query(after));
            for (JsonNode lock : page.path("locks")) {
                collected.add(lock);
                JsonNode holder = lock.path("holder");
                table.row(
                        lock.path("name").asString(),
                        holder.path("owner").asString("-"),
                        holder.path("token").asString("-"),
                        holder.path("leaseLeft").asString("-"),
                        String.valueOf(lock.path("queue").size()));
            }
            after = page.path("next").asString("");
        } while (!after.isEmpty());
        if (!server.printed(all)) {
            table.print(server.out());
        }
        return ExitCode.OK.code();
    }
}
