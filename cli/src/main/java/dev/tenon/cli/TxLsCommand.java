package dev.tenon.cli;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

/** {@code tenon tx ls}. */
@Command(
        name = "ls",
        description = "Lists transactions, the newest first, with their errors.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class TxLsCommand implements Callable<Integer> {
    @Mixin
    private ServerOptions server = new ServerOptions();

    @Option(names = "--stuck", description = "Only those that are suspended or reported as stuck.")
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

    @Option(
            names = "--service",
            paramLabel = "NAME",
            description = "Only those of this service; tenon-server: those that were begun over HTTP.")
    private @Nullable String service;

    @Option(names = "--prefix", paramLabel = "P", defaultValue = "", description = "Only those whose IDs begin with P.")
    private String prefix = "";

    @Option(
            names = "--older-than",
            paramLabel = "D",
            converter = Durations.class,
            description = "Only those that began at least this long ago, such as 5m.")
    private @Nullable Duration olderThan;

    @Option(
            names = "--younger-than",
            paramLabel = "D",
            converter = Durations.class,
            description = "Only those that began at most this long ago, such as 1d.")
    private @Nullable Duration youngerThan;

    @Option(
            names = "--error",
            paramLabel = "TEXT",
            defaultValue = "",
            description = "Only those with this in the last error of a branch, or in why they are suspended or closed.")
    private String error = "";

    @Option(
            names = "--after",
            paramLabel = "PLACE",
            defaultValue = "",
            description = "Continue after a page: the value from its last line.")
    private String after = "";

    @Option(
            names = "--limit",
            paramLabel = "N",
            defaultValue = "100",
            description = "Limit, up to 1000 (default: 100).")
    private int limit;

    @Override
    public Integer call() {
        JsonNode page = server.client().fetch("/v1/transactions?limit=" + limit + filter() + with("after", after));
        if (!server.printed(page)) {
            Table table = new Table("GID", "KIND", "STATE", "STUCK SINCE", "BEGUN", "BRANCHES", "TROUBLE");
            page.path("transactions")
                    .forEach(tx -> table.row(
                            tx.path("gid").asString(),
                            tx.path("kind").asString(),
                            TxDocument.state(tx),
                            TxDocument.stuckSince(tx),
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

    private String filter() {
        return with("state", state.toUpperCase(Locale.ROOT))
                + with("kind", kind)
                + (stuck ? "&stuck=true" : "")
                + (service == null ? "" : "&service=" + ServerClient.query(service))
                + with("prefix", prefix)
                + (olderThan == null ? "" : with("olderThan", olderThan.toString()))
                + (youngerThan == null ? "" : with("youngerThan", youngerThan.toString()))
                + with("error", error);
    }

    private static String with(String parameter, String value) {
        return value.isEmpty() ? "" : "&" + parameter + "=" + ServerClient.query(value);
    }
}
