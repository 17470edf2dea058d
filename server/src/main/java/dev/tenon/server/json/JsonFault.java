package dev.tenon.server.json;

import dev.tenon.Names;
import dev.tenon.Printable;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.InputCoercionException;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;

/**
 * What is wrong with JSON, for whoever sent it: which field, and what is wanted there. The words are ours: those of the
 * parser name its classes and ours.
 */
final class JsonFault {
    /** The parser keeps the name of the field in the message alone. */
    private static final Pattern TWICE = Pattern.compile("^Duplicate .*?\"(.*)\"", Pattern.DOTALL);

    private JsonFault() {}

    /** One sentence or two. */
    static String explain(JacksonException e) {
        if (e instanceof UnrecognizedPropertyException unknown) {
            return "Unknown field \"" + Printable.of(pathOf(e), Names.LENGTH_MAX) + "\"; allowed: " + allowed(unknown)
                    + ".";
        }
        if (e instanceof StreamConstraintsException) {
            return "The JSON is nested too deeply, or a number or a text in it is too long" + at(e) + ".";
        }
        String path = pathOf(e);
        if (e instanceof InputCoercionException) {
            return path.isEmpty()
                    ? "A number is out of range" + at(e) + "."
                    : field(path) + "the number is out of range.";
        }
        if (e instanceof StreamReadException) {
            Matcher twice = TWICE.matcher(String.valueOf(e.getOriginalMessage()));
            return twice.find()
                    ? field(twice.group(1)) + "it is a duplicate" + at(e) + "."
                    : "This is not JSON" + at(e) + ". Send a JSON object in UTF-8.";
        }
        Class<?> type = e instanceof MismatchedInputException wrong ? wrong.getTargetType() : null;
        return path.isEmpty() ? "Send a JSON object." : field(path) + "it must be " + wanted(type) + ".";
    }

    private static String field(String path) {
        return "Field \"" + Printable.of(path, Names.LENGTH_MAX) + "\": ";
    }

    private static String wanted(@Nullable Class<?> type) {
        if (type == Long.class || type == Integer.class || type == long.class || type == int.class) {
            return "a whole number";
        }
        if (type == Double.class || type == double.class) {
            return "a number";
        }
        if (type == Boolean.class || type == boolean.class) {
            return "true or false";
        }
        if (type == String.class) {
            return "text";
        }
        if (type != null && List.class.isAssignableFrom(type)) {
            return "a list";
        }
        return type != null && (type.isRecord() || JsonNode.class.isAssignableFrom(type))
                ? "a JSON object"
                : "of another type";
    }

    private static String allowed(UnrecognizedPropertyException unknown) {
        return unknown.getKnownPropertyIds() == null
                ? "none"
                : unknown.getKnownPropertyIds().stream()
                        .map(String::valueOf)
                        .sorted()
                        .collect(Collectors.joining(", "));
    }

    /** Where it is, such as {@code steps[2].action}; empty: at the root. */
    private static String pathOf(JacksonException e) {
        StringBuilder path = new StringBuilder();
        for (JacksonException.Reference step : e.getPath()) {
            if (step.getPropertyName() == null) {
                path.append('[').append(step.getIndex()).append(']');
            } else {
                path.append(path.isEmpty() ? "" : ".").append(step.getPropertyName());
            }
        }
        return path.toString();
    }

    private static String at(JacksonException e) {
        TokenStreamLocation location = e.getLocation();
        return location == null || location.getLineNr() < 1
                ? ""
                : " (line " + location.getLineNr() + ", column " + location.getColumnNr() + ")";
    }
}
