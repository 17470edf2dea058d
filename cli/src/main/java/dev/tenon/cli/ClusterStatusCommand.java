package dev.tenon.cli;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import tools.jackson.databind.JsonNode;

/** {@code tenon cluster status}. */
@Command(
        name = "status",
        description = "Shows members, leader, term and log positions, as known to the node that answers.",
        mixinStandardHelpOptions = true,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:there is a leader",
            "1:there is no leader, or the server has no cluster",
            "3:no server answers"
        })
final class ClusterStatusCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Override
    public Integer call() {
        ServerClient client = server.client();
        JsonNode cluster = client.fetch("/v1/cluster");
        if (!server.printed(cluster)) {
            print(server, cluster);
            printTroubles(client.fetchFromEach("/v1/cluster"));
        }
        return (cluster.hasNonNull("leader") ? ExitCode.OK : ExitCode.REFUSED).code();
    }

    /** What is wrong with a node it may know alone, or its leader does. */
    private void printTroubles(List<JsonNode> told) {
        Map<String, String> troubles = new TreeMap<>();
        for (JsonNode cluster : told) {
            String self = cluster.path("node").asString();
            for (JsonNode member : cluster.path("members")) {
                String name = member.path("name").asString();
                if (member.hasNonNull("trouble") && (name.equals(self) || !troubles.containsKey(name))) {
                    troubles.put(name, member.path("trouble").asString());
                }
            }
        }
        troubles.forEach((name, trouble) -> server.out().println(name + ": " + trouble));
    }

    /** Prints a cluster for people. */
    static void print(ServerOptions server, JsonNode cluster) {
        String leader = cluster.path("leader").asString("");
        server.out()
                .println((leader.isEmpty() ? "no leader: is there a majority?" : leader + " leads") + ", term "
                        + cluster.path("term").asString() + "; told by "
                        + cluster.path("node").asString() + ", which has applied entry "
                        + cluster.path("applied").asString());
        long furthest = 0;
        for (JsonNode member : cluster.path("members")) {
            furthest = Math.max(furthest, member.path("committed").asLong(0));
        }
        Table table = new Table("NODE", "ADDRESS", "ROLE", "COMMITTED", "BEHIND");
        for (JsonNode member : cluster.path("members")) {
            boolean known = member.hasNonNull("committed");
            table.row(
                    member.path("name").asString(),
                    member.path("address").asString("-"),
                    member.path("leads").asBoolean() ? "leader" : "follower",
                    known ? member.path("committed").asString() : "-",
                    known ? String.valueOf(furthest - member.path("committed").asLong()) : "-");
        }
        table.print(server.out());
    }
}
