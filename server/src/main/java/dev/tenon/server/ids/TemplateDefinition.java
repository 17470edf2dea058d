package dev.tenon.server.ids;

import dev.tenon.id.TemplateGenerator;
import dev.tenon.id.TemplateParts;
import dev.tenon.id.TemplateReset;
import dev.tenon.id.spi.RangeDefinition;
import java.time.DateTimeException;
import java.time.MonthDay;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Serial numbers that people read. {@code {machine}} is the machine index, {@code {biz}} the code.
 *
 * @param template such as {@code ORD{yyyyMMdd}{seq:6}}
 * @param timeZone in which a period begins
 * @param reset {@code never}, {@code daily}, {@code monthly}, {@code yearly}, or the first day of the fiscal year as
 *     {@code MM-dd}
 */
record TemplateDefinition(String template, String timeZone, String reset, Label label) implements Ranged {
    private static final List<String> RESETS = List.of("never", "daily", "monthly", "yearly");
    private static final Pattern WIDTH = Pattern.compile("(?<!\\{)\\{seq:(\\d{1,2})}");
    private static final int LONG_DIGITS = 18;

    static TemplateDefinition read(DefinitionFields fields) {
        String template = fields.text("template")
                .orElseThrow(() ->
                        DefinitionFields.bad("\"template\" is missing; give one such as \"ORD{yyyyMMdd}{seq:6}\"."));
        return new TemplateDefinition(
                template, fields.text("timeZone").orElse("UTC"), reset(fields.node("reset")), Label.read(fields));
    }

    private static String reset(@Nullable JsonNode node) {
        if (node == null) {
            return RESETS.get(0);
        }
        if (node.isString() && RESETS.contains(node.stringValue())) {
            return node.stringValue();
        }
        if (node.isObject()) {
            DefinitionFields inner = new DefinitionFields(node);
            String day = inner.text("fiscalYearStart").orElse("");
            inner.end();
            try {
                MonthDay.parse("--" + day);
                return day;
            } catch (DateTimeException e) {
                // said below
            }
        }
        throw DefinitionFields.bad("\"reset\" must be \"never\", \"daily\", \"monthly\", \"yearly\", or "
                + "{\"fiscalYearStart\":\"04-01\"} with month and day, not " + node + ".");
    }

    @Override
    public String kind() {
        return "template";
    }

    @Override
    public String lead() {
        return label.prefix().orElse("");
    }

    @Override
    public RangeDefinition range() {
        return RangeDefinition.DEFAULT;
    }

    @Override
    public boolean resets() {
        return !reset.equals(RESETS.get(0));
    }

    @Override
    public void write(Map<String, Object> fields) {
        fields.put("template", template);
        fields.put("timeZone", timeZone);
        fields.put("reset", RESETS.contains(reset) ? reset : Map.of("fiscalYearStart", reset));
    }

    @Override
    public void check(IdResources resources) {
        generator("template", resources);
    }

    @Override
    public Issuer issuer(String name, IdResources resources) {
        defined(name, resources);
        return new TemplateIssuer(generator(name, resources));
    }

    @Override
    public Map<String, Object> parts(String text, IdResources resources) {
        TemplateParts read = generator("template", resources).parts(text);
        Map<String, Object> parts = new LinkedHashMap<>();
        read.firstDay().ifPresent(day -> parts.put("firstDay", day.toString()));
        parts.put("number", read.counter());
        read.machine().ifPresent(machine -> parts.put("machineIndex", machine));
        return parts;
    }

    @Override
    public Map<String, Object> outlook(String name, IdResources resources) {
        Matcher width = WIDTH.matcher(template);
        int digits = width.find() ? Math.min(LONG_DIGITS, Integer.parseInt(width.group(1))) : LONG_DIGITS;
        long max = Long.parseLong("9".repeat(Math.max(1, digits)));
        if (!reset.equals(RESETS.get(0))) {
            return Map.of("perPeriod", String.valueOf(max), "period", period());
        }
        OptionalLong coming = coming(name, resources);
        return Map.of("left", String.valueOf(Math.max(0, max - coming.orElse(max + 1) + 1)));
    }

    private String period() {
        return switch (reset) {
            case "daily" -> "day";
            case "monthly" -> "month";
            case "yearly" -> "year";
            default -> "fiscal year";
        };
    }

    private TemplateGenerator generator(String name, IdResources resources) {
        TemplateGenerator.Builder builder = TemplateGenerator.builder(template).time(resources.time());
        label.machineIndex().ifPresent(builder::machine);
        label.code().map(String::valueOf).ifPresent(builder::biz);
        TemplateReset when = switch (reset) {
            case "never" -> TemplateReset.never();
            case "daily" -> TemplateReset.daily();
            case "monthly" -> TemplateReset.monthly();
            case "yearly" -> TemplateReset.yearly();
            default -> TemplateReset.fiscalYear(MonthDay.parse("--" + reset));
        };
        return builder.reset(when, timeZone).build(resources.ranges(), name);
    }
}
