package dev.tenon.cli;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code tenon id define}. */
@Command(
        name = "define",
        description = "Defines how the IDs of a name are made. Doing it again changes nothing.",
        mixinStandardHelpOptions = true,
        sortOptions = false)
final class IdDefineCommand implements Callable<Integer> {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ServerOptions server = new ServerOptions();

    @Parameters(paramLabel = "NAME", description = "The name.")
    private String name = "";

    @Option(names = "--kind", paramLabel = "KIND", required = true, description = "snowflake, segment or sequence.")
    private String kind = "";

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            description =
                    "Snowflake: twitter (default), sonyflake, baidu, jsSafe, or a JSON object with unit, timeBits, "
                            + "workerBits, sequenceBits and epoch.")
    private @Nullable String layout;

    @Option(names = "--lane", paramLabel = "LANE", description = "Snowflake: strict (default).")
    private @Nullable String lane;

    @Option(names = "--start", paramLabel = "N", description = "Segment, sequence: the first number (1).")
    private @Nullable Long start;

    @Option(names = "--step", paramLabel = "N", description = "Segment: numbers in a segment (1000).")
    private @Nullable Long step;

    @Option(names = "--increment", paramLabel = "N", description = "Sequence: from one number to the next (1).")
    private @Nullable Long increment;

    @Option(names = "--max", paramLabel = "N", description = "Segment, sequence: no number is greater.")
    private @Nullable Long max;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "Stands before each number.")
    private @Nullable String prefix;

    @Option(names = "--code", paramLabel = "N", description = "Code for the ID-builder interface.")
    private @Nullable Integer code;

    @Option(names = "--machine-index", paramLabel = "N", description = "Stands between prefix and number.")
    private @Nullable Integer machineIndex;

    @Override
    public Integer call() {
        Map<String, Object> definition = new LinkedHashMap<>();
        put(definition, "kind", kind);
        put(definition, "layout", layoutValue());
        put(definition, "lane", lane);
        put(definition, "start", start);
        put(definition, "step", step);
        put(definition, "increment", increment);
        put(definition, "max", max);
        put(definition, "prefix", prefix);
        put(definition, "code", code);
        put(definition, "machineIndex", machineIndex);
        JsonNode answer = server.client().send("PUT", "/v1/ids/" + ServerClient.segment(name), definition, TIMEOUT);
        if (!server.printed(answer)) {
            server.out().println(name + " is defined as " + answer.path("definition"));
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    private @Nullable Object layoutValue() {
        if (layout == null || !layout.startsWith("{")) {
            return layout;
        }
        try {
            return new JsonMapper().readTree(layout);
        } catch (JacksonException e) {
            throw new ParameterException(spec.commandLine(), "--layout is not JSON: " + e.getOriginalMessage());
        }
    }

    private static void put(Map<String, Object> fields, String field, @Nullable Object value) {
        if (value != null) {
            fields.put(field, value);
        }
    }
}
