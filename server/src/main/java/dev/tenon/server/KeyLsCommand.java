package dev.tenon.server;

import dev.tenon.server.access.ApiKey;
import dev.tenon.server.access.ApiKeyFile;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code tenon key ls}. */
@Command(
        name = "ls",
        description = "Lists the keys: who may do what. The keys themselves are kept nowhere.",
        mixinStandardHelpOptions = true)
final class KeyLsCommand implements Callable<Integer> {
    private static final String ROW = "%-10s %-20s %-6s %-10s %-20s %s%n";

    @Mixin
    private KeyFileOption keys = new KeyFileOption();

    @Override
    public Integer call() {
        PrintWriter out = keys.out();
        out.printf(ROW, "ID", "CREATED", "ROLE", "FOR", "PREFIXES", "NAME");
        for (ApiKey key : ApiKeyFile.read(keys.file()).all()) {
            String certificate =
                    key.proof() instanceof ApiKey.Proof.Certificate shown ? " (" + shown.subject() + ")" : "";
            out.printf(
                    ROW,
                    key.id(),
                    key.created(),
                    ApiKeyFile.word(key.role()),
                    key.scopes().stream().map(ApiKeyFile::word).sorted().collect(Collectors.joining(",")),
                    key.prefixes().contains("") ? "all" : String.join(",", key.prefixes()),
                    key.name() + certificate);
        }
        out.flush();
        return ServerExitCode.STOPPED.code();
    }
}
