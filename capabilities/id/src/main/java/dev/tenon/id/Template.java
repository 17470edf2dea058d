package dev.tenon.id;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A template whose constants are known: it turns a period and a counter into a text, and back. Every text has one
 * reading, so that two of them are equal only if period, counter and machine are. Immutable.
 */
final class Template {
    private static final int TEXT_MAX = 1000;

    private final String source;
    private final TemplateReset reset;
    private final List<TemplateField> fields;
    private final int machine;
    private final Pattern pattern;

    private Template(String source, TemplateReset reset, List<TemplateField> fields, int machine) {
        this.source = source;
        this.reset = reset;
        this.fields = fields;
        this.machine = machine;
        StringBuilder regex = new StringBuilder();
        fields.forEach(field -> regex.append(field.regex()));
        this.pattern = Pattern.compile(regex.toString());
    }

    /**
     * A template.
     *
     * @param machine what {@code {machine}} stands for
     * @param biz what {@code {biz}} stands for
     * @throws IllegalArgumentException if its texts would not be unique, or it can't be read
     */
    static Template of(String source, TemplateReset reset, OptionalInt machine, Optional<String> biz) {
        List<TemplateField> fields = TemplateField.parse(source, biz);
        if (fields.stream()
                        .filter(field -> field instanceof TemplateField.Counter)
                        .count()
                != 1) {
            throw new IllegalArgumentException("A template needs one {seq}, or {seq:6} for six digits: " + source);
        }
        if (machine.isEmpty() && fields.stream().anyMatch(field -> field instanceof TemplateField.Machine)) {
            throw new IllegalArgumentException("The template has {machine}: say which, by machine(…): " + source);
        }
        requirePeriodShown(source, reset, fields);
        requireOneReading(source, fields);
        Template template = new Template(source, reset, fields, machine.orElse(0));
        template.requireMachineFits();
        return template;
    }

    private static void requirePeriodShown(String source, TemplateReset reset, List<TemplateField> fields) {
        Map<DatePart, Long> shown = new EnumMap<>(DatePart.class);
        for (TemplateField field : fields) {
            if (field instanceof TemplateField.Date date) {
                if (!reset.fixes(date.part())) {
                    throw new IllegalArgumentException("{" + date.part().letters() + "} is not the same for a whole"
                            + " period of a template that resets " + reset + ", which shows " + reset.needs() + ": "
                            + source);
                }
                shown.put(date.part(), date.part().of(LocalDate.of(2001, 1, 1)));
            }
        }
        if (!reset.isNever() && date(reset, shown).isEmpty()) {
            throw new IllegalArgumentException("The same texts would come again in another period: a template that"
                    + " resets " + reset + " must show " + reset.needs() + ": " + source);
        }
    }

    /** Between two numbers of no fixed width there must be something that is not a digit. */
    private static void requireOneReading(String source, List<TemplateField> fields) {
        boolean open = false;
        for (TemplateField field : fields) {
            if (field instanceof TemplateField.Literal literal) {
                open &= literal.text().chars().allMatch(c -> c >= '0' && c <= '9');
            } else if (field.width() == 0) {
                if (open) {
                    throw new IllegalArgumentException("{seq} and {machine} run into each other, so that two numbers"
                            + " could give one text; give one a width ({machine:4}), or separate them: " + source);
                }
                open = true;
            }
        }
    }

    private void requireMachineFits() {
        for (TemplateField field : fields) {
            if (field instanceof TemplateField.Machine && !field.holds(machine)) {
                throw new IllegalArgumentException(
                        "Machine " + machine + " has more than " + field.width() + " digits: " + source);
            }
        }
    }

    TemplateReset reset() {
        return reset;
    }

    /**
     * The text of a counter.
     *
     * @throws RangeExhaustedException if it is too wide for the template
     */
    String text(long period, long counter) {
        LocalDate date = reset.shown(period);
        StringBuilder text = new StringBuilder(source.length() + 16);
        for (TemplateField field : fields) {
            if (field instanceof TemplateField.Literal literal) {
                text.append(literal.text());
                continue;
            }
            long number = number(field, date, counter);
            if (!field.holds(number)) {
                throw new RangeExhaustedException(
                        field instanceof TemplateField.Counter
                                ? "The template " + source + " has no number left"
                                        + (reset.isNever() ? "" : " for " + reset.first(period)) + ": " + counter
                                        + " has more than " + field.width() + " digits; use a wider one, such as {seq:"
                                        + (field.width() + 2) + "}, whose texts are none of the old ones"
                                : "The template " + source + " has no room for the year of " + date);
            }
            String digits = Long.toString(number);
            text.append("0".repeat(Math.max(0, field.width() - digits.length())))
                    .append(digits);
        }
        return text.toString();
    }

    private long number(TemplateField field, LocalDate date, long counter) {
        if (field instanceof TemplateField.Counter) {
            return counter;
        }
        return field instanceof TemplateField.Date shown ? shown.part().of(date) : machine;
    }

    /**
     * What a text says.
     *
     * @throws IllegalArgumentException if no machine's generator of this template issues it
     */
    TemplateParts parts(String text) {
        Matcher matcher = pattern.matcher(text);
        if (text.length() > TEXT_MAX || !matcher.matches()) {
            throw foreign(text);
        }
        Map<DatePart, Long> shown = new EnumMap<>(DatePart.class);
        long counter = 0;
        OptionalInt of = OptionalInt.empty();
        int group = 1;
        try {
            for (TemplateField field : fields) {
                if (field instanceof TemplateField.Literal) {
                    continue;
                }
                long number = Long.parseLong(matcher.group(group++));
                if (field instanceof TemplateField.Counter) {
                    counter = number;
                } else if (field instanceof TemplateField.Date date) {
                    shown.put(date.part(), number);
                } else {
                    of = OptionalInt.of(Math.toIntExact(number));
                }
            }
        } catch (NumberFormatException | ArithmeticException e) {
            throw foreign(text);
        }
        long period =
                reset.isNever() ? 0 : reset.periodShownAs(date(reset, shown).orElseThrow(() -> foreign(text)));
        Template theirs = new Template(source, reset, fields, of.orElse(machine));
        if (period < 0 || !theirs.text(period, counter).equals(text)) {
            throw foreign(text);
        }
        return new TemplateParts(reset.isNever() ? Optional.empty() : Optional.of(reset.first(period)), counter, of);
    }

    private IllegalArgumentException foreign(String text) {
        String start = text.length() > 100 ? text.substring(0, 100) + "…" : text;
        return new IllegalArgumentException("Not a text of the template " + source + ": " + start);
    }

    /** The date that is shown so, if that tells its period. */
    private static Optional<LocalDate> date(TemplateReset reset, Map<DatePart, Long> shown) {
        Map<DatePart, Long> parts = new EnumMap<>(shown);
        boolean day = parts.containsKey(DatePart.DAY) && parts.containsKey(DatePart.MONTH)
                || parts.containsKey(DatePart.DAY_OF_YEAR);
        boolean year = parts.containsKey(DatePart.YEAR) || parts.containsKey(DatePart.YEAR_OF_CENTURY);
        if (!year
                || reset.fixes(DatePart.DAY) && !day
                || reset.fixes(DatePart.MONTH) && !day && !parts.containsKey(DatePart.MONTH)) {
            return Optional.empty();
        }
        try {
            LocalDate date = LocalDate.of(2000, 1, 1);
            for (DatePart part : DatePart.values()) { // from the year down to the day
                Long number = parts.get(part);
                if (number != null && part != DatePart.QUARTER) {
                    date = date.with(part.field(), part.fieldValue(number));
                }
            }
            return Optional.of(date);
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }
}
