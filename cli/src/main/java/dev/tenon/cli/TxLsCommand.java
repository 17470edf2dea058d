package dev.tenon.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code tenon tx ls}. */
@Command(
        name = "ls",
        description = "Lists transactions, in the order of their IDs, with what troubles them.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class TxLsCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--stuck", description = "Only those that wait for an operator.")
    private boolean stuck;

    @Option(
            names = "--state",
            paramLabel = "STATE",
            defaultValue = "",
            completionCandidates = Choices.TransactionStates.class,
            description = "Only those in this state: ${COMPLETION-CANDIDATES}.")
    private String state = "";

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            defaultValue = "",
            completionCandidates = Choices.TransactionKinds.class,
            description = "Only those of this kind: ${COMPLETION-CANDIDATES}.")
    private String kind = "";

    @Option(names = "--after", paramLabel = "GID", defaultValue = "", description = "Only greater IDs than this one.")
    private String after = "";

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "At most so many, up to 1000 (default: 100).")
    private int limit;

    @Override
    public Integer call() {
        JsonNode page = server.client()
                .fetch("/v1/transactions?limit=" + limit + with("state", state.toUpperCase(Locale.ROOT))
                        + with("kind", kind) + with("after", after) + (stuck ? "&suspended=true" : ""));
        if (!server.printed(page)) {
            Table table = new Table("GID", "KIND", "STATE", "BEGUN", "BRANCHES", "TROUBLE");
            page.path("transactions")
                    .forEach(tx -> table.row(
                            tx.path("gid").asString(),
                            tx.path("kind").asString(),
                            TxDocument.state(tx),
                            tx.path("createdAt").asString(),
                            String.valueOf(tx.path("branches").size()),
                            TxDocument.trouble(tx)));
            table.print(server.out());
            String next = page.path("next").asString("");
            if (!next.isEmpty()) {
                server.out().println("There are more: --after " + next);
                server.out().flush();
            }
        }
        return ExitCode.OK.code();
    }

    private static String with(String parameter, String value) {
        return value.isEmpty() ? "" : "&" + parameter + "=" + ServerClient.query(value);
    }
}
