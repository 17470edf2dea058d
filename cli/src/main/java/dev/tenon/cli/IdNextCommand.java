package dev.tenon.cli;

import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code tenon id next}. */
@Command(
        name = "next",
        description = "Gets new IDs, one per line.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class IdNextCommand implements Callable<Integer> {
    private static final int BATCH = 10_000;
    private static final int COUNT_MAX = 10_000_000;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(
            paramLabel = "NAME",
            arity = "0..1",
            defaultValue = "default",
            description = "The name (default: default, which is a Snowflake).")
    private String name = "default";

    @Option(names = "-n", paramLabel = "N", defaultValue = "1", description = "How many (default: 1).")
    private int count = 1;

    @Option(names = "--shard-key", paramLabel = "KEY", description = "Key whose shard the IDs carry (kind gene).")
    private @Nullable String shardKey;

    @Override
    public Integer call() {
        if (count < 1 || count > COUNT_MAX) {
            throw new ParameterException(spec.commandLine(), "-n must be between 1 and " + COUNT_MAX + ".");
        }
        ServerClient client = server.client();
        String path = "/v1/ids/" + ServerClient.segment(name) + "/next?"
                + (shardKey == null ? "" : "shardKey=" + ServerClient.query(shardKey) + "&") + "count=";
        ObjectNode all = new JsonMapper().createObjectNode();
        ArrayNode collected = all.putArray("ids");
        Terminals terminals = Terminals.ofThisProcess();
        // IDs that scroll by are progress enough.
        try (Progress progress =
                new Progress(spec.commandLine().getErr(), count > BATCH && terminals.err() && !terminals.out())) {
            for (int left = count; left > 0; left -= BATCH) {
                JsonNode ids = client.send("POST", path + Math.min(left, BATCH)).path("ids");
                if (server.json()) {
                    ids.forEach(collected::add);
                } else {
                    ids.forEach(id -> server.out().println(id.asString()));
                }
                progress.show("%,d of %,d IDs".formatted(count - left + ids.size(), count));
            }
        }
        server.printed(all);
        server.out().flush();
        return ExitCode.OK.code();
    }
}
