package dev.tenon.cli;

import picocli.CommandLine.Option;

/** Whose messages. */
final class OutboxName {
    @Option(
            names = "--outbox",
            paramLabel = "NAME",
            defaultValue = "outbox",
            description = "The outbox (default: ${DEFAULT-VALUE}, the name of an outbox that was given none).")
    private String name = "outbox";

    String name() {
        return name;
    }

    /** As the first parameter of a query. */
    String query() {
        return "?outbox=" + ServerClient.query(name);
    }
}
