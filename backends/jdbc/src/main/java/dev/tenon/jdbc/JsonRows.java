package dev.tenon.jdbc;

/** Many rows as one parameter of a statement: an array of objects, in JSON (RFC 8259). What is absent is left out. Not thread-safe. */
final class JsonRows {
    private final StringBuilder text = new StringBuilder("[");
    private boolean empty;

    /** Begins a row. */
    void begin() {
        text.append(text.length() > 1 ? ",{" : "{");
        empty = true;
    }

    void number(String name, long value) {
        name(name);
        text.append(value);
    }

    void text(String name, String value) {
        name(name);
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < ' ') {
                text.append("\\u%04x".formatted((int) c));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }

    /** Ends a row. */
    void end() {
        text.append('}');
    }

    String array() {
        return text.append(']').toString();
    }

    private void name(String name) {
        text.append(empty ? "\"" : ",\"").append(name).append("\":");
        empty = false;
    }
}
