package dev.tenon.id;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One piece of a template. */
sealed interface TemplateField {
    /** How many digits it has; 0: as many as its number needs, or none at all. */
    int width();

    /** An expression for its text, with one group if it is a number. */
    default String regex() {
        return width() == 0 ? "(0|[1-9][0-9]{0,18})" : "([0-9]{" + width() + "})";
    }

    /** Whether a number fits its width. */
    default boolean holds(long number) {
        if (width() == 0) {
            return number >= 0;
        }
        long limit = 1;
        for (int i = 0; i < width(); i++) {
            limit *= 10;
        }
        return number >= 0 && number < limit;
    }

    /** Text that is the same in all. */
    record Literal(String text) implements TemplateField {
        @Override
        public int width() {
            return 0;
        }

        @Override
        public String regex() {
            return Pattern.quote(text);
        }
    }

    /** The counter. */
    record Counter(int width) implements TemplateField {}

    /** The index of the machine. */
    record Machine(int width) implements TemplateField {}

    /** A part of the date. */
    record Date(DatePart part) implements TemplateField {
        @Override
        public int width() {
            return part.width();
        }
    }

    /** 10^18 is the greatest power of ten that a {@code long} has. */
    int WIDTH_MAX = 18;

    int SOURCE_MAX = 200;
    Pattern NUMBER = Pattern.compile("(seq|machine)(?::([0-9]{1,3}))?");
    Pattern RUN = Pattern.compile("([A-Za-z])\\1*|[^A-Za-z]+");

    /**
     * Reads a template.
     *
     * @param biz what {@code {biz}} stands for
     * @throws IllegalArgumentException if it can't be read
     */
    static List<TemplateField> parse(String source, Optional<String> biz) {
        if (source.isEmpty() || source.length() > SOURCE_MAX || source.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "A template has 1 to " + SOURCE_MAX + " characters, none of them a control character");
        }
        List<TemplateField> fields = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int at = 0;
        while (at < source.length()) {
            char c = source.charAt(at);
            boolean brace = c == '{' || c == '}';
            if (!brace) {
                literal.append(c);
                at++;
            } else if (at + 1 < source.length() && source.charAt(at + 1) == c) {
                literal.append(c);
                at += 2;
            } else {
                int end = source.indexOf('}', at);
                if (c == '}' || end < 0) {
                    throw new IllegalArgumentException("Lone " + c + " at position " + at
                            + " of the template (a brace of the text is written twice): " + source);
                }
                flush(literal, fields);
                fields.addAll(field(source.substring(at + 1, end), source, biz));
                at = end + 1;
            }
        }
        flush(literal, fields);
        return List.copyOf(fields);
    }

    private static void flush(StringBuilder literal, List<TemplateField> fields) {
        if (!literal.isEmpty()) {
            fields.add(new Literal(literal.toString()));
            literal.setLength(0);
        }
    }

    private static List<TemplateField> field(String inside, String source, Optional<String> biz) {
        if (inside.equals("biz")) {
            return List.of(new Literal(biz.orElseThrow(
                    () -> new IllegalArgumentException("The template has {biz}: say which, by biz(…): " + source))));
        }
        Matcher number = NUMBER.matcher(inside);
        if (number.matches()) {
            String digits = number.group(2);
            int width = digits == null ? 0 : Integer.parseInt(digits);
            if (digits != null && (width < 1 || width > WIDTH_MAX)) {
                throw new IllegalArgumentException(
                        "Width must be between 1 and " + WIDTH_MAX + " in {" + inside + "}: " + source);
            }
            return List.of(number.group(1).equals("seq") ? new Counter(width) : new Machine(width));
        }
        return date(inside, source);
    }

    private static List<TemplateField> date(String inside, String source) {
        List<TemplateField> fields = new ArrayList<>();
        Matcher runs = RUN.matcher(inside);
        while (runs.find()) {
            String run = runs.group();
            if (Character.isLetter(run.charAt(0))) {
                fields.add(new Date(DatePart.of(run).orElseThrow(() -> unknown(inside, source))));
            } else {
                fields.add(new Literal(run));
            }
        }
        if (fields.stream().noneMatch(field -> field instanceof Date)) {
            throw unknown(inside, source);
        }
        return fields;
    }

    private static IllegalArgumentException unknown(String inside, String source) {
        return new IllegalArgumentException("{" + inside + "} is none of {seq}, {seq:6}, {machine}, {machine:4}, {biz}"
                + " or a date of yyyy, yy, MM, dd, DDD, Q and separators: " + source);
    }
}
