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
        description = "Defines how the IDs of a name are generated. Repeating it changes nothing.",
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

    @Option(
            names = "--kind",
            paramLabel = "KIND",
            required = true,
            completionCandidates = Choices.Kinds.class,
            description = {
                "snowflake, segment, shuffled, sequence, interleaved, template, uuid, ulid, objectid, typeid or gene."
            })
    private String kind = "";

    @Option(
            names = "--layout",
            paramLabel = "LAYOUT",
            description =
                    "Snowflake: twitter (default), sonyflake, baidu, jsSafe, or a JSON object with unit, timeBits, "
                            + "workerBits, sequenceBits and epoch.")
    private @Nullable String layout;

    @Option(names = "--lane", paramLabel = "LANE", description = "Snowflake: strict (default) or striped.")
    private @Nullable String lane;

    @Option(names = "--start", paramLabel = "N", description = "Segment, shuffled, sequence: the first number (1).")
    private @Nullable Long start;

    @Option(names = "--step", paramLabel = "N", description = "Segment, shuffled: numbers in a segment (1000).")
    private @Nullable Long step;

    @Option(names = "--increment", paramLabel = "N", description = "Sequence: from one number to the next (1).")
    private @Nullable Long increment;

    @Option(names = "--max", paramLabel = "N", description = "Segment, shuffled, sequence: the greatest number.")
    private @Nullable Long max;

    @Option(names = "--nodes", paramLabel = "N", description = "Interleaved: how many stores share the numbers.")
    private @Nullable Integer nodes;

    @Option(names = "--node", paramLabel = "N", description = "Interleaved: which of them this is, from 1.")
    private @Nullable Integer node;

    @Option(names = "--template", paramLabel = "TEXT", description = "Template: such as ORD{yyyyMMdd}{seq:6}.")
    private @Nullable String template;

    @Option(names = "--time-zone", paramLabel = "ZONE", description = "Template: time zone of dates and resets (UTC).")
    private @Nullable String timeZone;

    @Option(
            names = "--reset",
            paramLabel = "WHEN",
            description = "Template: never (default), daily, monthly, yearly, or a JSON object such as "
                    + "{\"fiscalYearStart\":\"04-01\"}.")
    private @Nullable String reset;

    @Option(names = "--uuid-version", paramLabel = "N", description = "UUID: 1, 4, 6 or 7 (default).")
    private @Nullable Integer uuidVersion;

    @Option(names = "--type-prefix", paramLabel = "TEXT", description = "TypeID: the type.")
    private @Nullable String typePrefix;

    @Option(names = "--shard-bits", paramLabel = "N", description = "Gene: bits that carry the shard (8).")
    private @Nullable Integer shardBits;

    @Option(
            names = "--public-type",
            paramLabel = "TYPE",
            description = "Numbers: show them as public IDs of this type, such as ord, which reveal nothing.")
    private @Nullable String publicType;

    @Option(names = "--prefix", paramLabel = "TEXT", description = "Prefix of each number.")
    private @Nullable String prefix;

    @Option(
            names = "--code",
            paramLabel = "N",
            description = "Code for the ID-builder interface. JavaScript rounds the numbers of a Snowflake: use the "
                    + "calls that end in -str.")
    private @Nullable Integer code;

    @Option(names = "--machine-index", paramLabel = "N", description = "Machine index, between prefix and number.")
    private @Nullable Integer machineIndex;

    @Override
    public Integer call() {
        Map<String, Object> definition = new LinkedHashMap<>();
        put(definition, "kind", kind);
        put(definition, "layout", textOrJson("--layout", layout));
        put(definition, "lane", lane);
        put(definition, "start", start);
        put(definition, "step", step);
        put(definition, "increment", increment);
        put(definition, "max", max);
        put(definition, "nodes", nodes);
        put(definition, "node", node);
        put(definition, "template", template);
        put(definition, "timeZone", timeZone);
        put(definition, "reset", textOrJson("--reset", reset));
        put(definition, "version", uuidVersion);
        put(definition, "typePrefix", typePrefix);
        put(definition, "shardBits", shardBits);
        put(definition, "public", publicType == null ? null : Map.of("type", publicType));
        put(definition, "prefix", prefix);
        put(definition, "code", code);
        put(definition, "machineIndex", machineIndex);
        JsonNode answer = server.client().send("PUT", "/v1/ids/" + ServerClient.segment(name), definition, TIMEOUT);
        if (!server.printed(answer)) {
            server.out().println(name + " is defined as " + answer.path("definition"));
            Outlook.lines(answer).forEach(server.out()::println);
            server.out().flush();
        }
        return ExitCode.OK.code();
    }

    private @Nullable Object textOrJson(String option, @Nullable String value) {
        if (value == null || !value.startsWith("{")) {
            return value;
        }
        try {
            return new JsonMapper().readTree(value);
        } catch (JacksonException e) {
            throw new ParameterException(spec.commandLine(), option + " is not JSON: " + e.getOriginalMessage());
        }
    }

    private static void put(Map<String, Object> fields, String field, @Nullable Object value) {
        if (value != null) {
            fields.put(field, value);
        }
    }
}
