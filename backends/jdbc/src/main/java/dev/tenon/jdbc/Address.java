package dev.tenon.jdbc;

/**
 * A session and where it lives. The table has it as one text, so that whoever hands a lock over knows whom to tell.
 *
 * @param channel of the process; no spaces
 * @param sessionId as the client has it
 */
record Address(String channel, String sessionId) {
    static Address parse(String text) {
        int space = text.indexOf(' ');
        return new Address(text.substring(0, space), text.substring(space + 1));
    }

    String text() {
        return channel + " " + sessionId;
    }
}
