package dev.tenon.server.ids;

import java.util.LinkedHashMap;
import java.util.Map;

/** How the IDs of a definition with a code are asked for by that code, for people who define one. */
final class CodeCalls {
    private static final String ROUNDED = "Numbers of more than 53 bits, which JavaScript and other readers of JSON "
            + "numbers as doubles round without an error: have them read \"text\"";

    private CodeCalls() {}

    /** The paths, and what is to be minded; empty: it has no code, or can't be asked for by one. */
    static Map<String, Object> document(GeneratorDefinition definition) {
        Map<String, Object> document = new LinkedHashMap<>();
        if (definition.label().code().isEmpty() || definition.hasShards()) {
            return document;
        }
        String query = "?code=" + definition.label().code().get();
        String call = "/id-builder/increase-" + (isShuffled(definition) ? "id" : "seq-id");
        document.put("text", call + "-str" + query);
        if (definition instanceof NumberDefinition numbers
                && definition.label().publicType().isEmpty()) {
            document.put("number", call + query);
            if (numbers.passesDoubles()) {
                document.put("warning", ROUNDED);
            }
        }
        return document;
    }

    private static boolean isShuffled(GeneratorDefinition definition) {
        return definition instanceof SegmentDefinition segment && segment.shuffled();
    }
}
