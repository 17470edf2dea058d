package dev.tenon.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code tenon bench tx}. */
@Command(
        name = "tx",
        description = {
            "Measures how fast a server takes transactions to their end.",
            "This process is the participant: it answers each call of the server with \"done\". The "
                    + "transactions stay in the server's log, as all others do."
        },
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class BenchTxCommand implements Callable<Integer> {
    private static final int BRANCHES_MAX = 20;
    private static final Duration LONGEST = Duration.ofSeconds(60);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Mixin
    private BenchOptions bench = new BenchOptions();

    @Parameters(
            paramLabel = "KIND",
            arity = "0..1",
            defaultValue = "saga",
            completionCandidates = Choices.BenchKinds.class,
            description = "saga, tcc or message (default: saga).")
    private String kind = "saga";

    @Option(
            names = "--branches",
            paramLabel = "N",
            defaultValue = "2",
            description = "Steps, branches or targets of each, one participant's call or two (default: 2, up to 20).")
    private int branches = 2;

    @Option(
            names = "--listen",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "This machine's address, as the server can reach it (default: 127.0.0.1).")
    private String host = "127.0.0.1";

    @Override
    public Integer call() throws InterruptedException {
        if (branches < 1 || branches > BRANCHES_MAX) {
            throw new ParameterException(spec.commandLine(), "--branches must be between 1 and " + BRANCHES_MAX + ".");
        }
        ServerClient client = server.client();
        try (BenchParticipant participant = BenchParticipant.listen(host)) {
            Map<String, Object> transaction = transaction(participant.url());
            BenchResult result = bench.measured(number -> new Transaction(client, transaction));
            if (!server.printed(result.json("tx", kind))) {
                result.print(server.out(), "committed");
            }
            return ExitCode.OK.code();
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(), "Can't listen on " + host + " (--listen): " + e.getMessage() + ".");
        }
    }

    /** What is asked of the server. */
    private Map<String, Object> transaction(String url) {
        Map<String, Object> transaction = new LinkedHashMap<>();
        transaction.put("kind", kind);
        transaction.put("wait", true);
        transaction.put("deadline", LONGEST.toString());
        switch (kind) {
            case "saga" -> transaction.put("steps", parts(Map.of("action", url, "compensate", url)));
            case "tcc" -> transaction.put("branches", parts(Map.of("try", url, "confirm", url, "cancel", url)));
            case "message" -> transaction.put("targets", parts(Map.of("url", url)));
            default ->
                throw new ParameterException(
                        spec.commandLine(), "KIND must be saga, tcc or message, not \"" + kind + "\".");
        }
        return transaction;
    }

    private List<Map<String, Object>> parts(Map<String, String> targets) {
        List<Map<String, Object>> parts = new ArrayList<>();
        for (int i = 1; i <= branches; i++) {
            Map<String, Object> part = new LinkedHashMap<>(targets);
            part.put("name", "b" + i);
            parts.add(part);
        }
        return parts;
    }

    /** One after the other, each to its end. */
    private record Transaction(ServerClient client, Map<String, Object> body) implements BenchRun.Caller {
        @Override
        public long call() {
            JsonNode end = client.send("POST", "/v1/transactions", body, LONGEST.plus(ServerClient.TIMEOUT));
            return end.path("state").asString().equals("COMMITTED") ? 1 : 0;
        }

        @Override
        public void close() {}
    }
}
