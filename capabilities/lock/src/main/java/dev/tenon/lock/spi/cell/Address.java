package dev.tenon.lock.spi.cell;

/**
 * A session and the process that it belongs to. A cell has both as one text, so that whoever hands a lock over knows whom
 * to tell.
 *
 * @param process no spaces
 * @param sessionId as the client has it
 */
record Address(String process, String sessionId) {
    static Address parse(String text) {
        int space = text.indexOf(' ');
        return new Address(text.substring(0, space), text.substring(space + 1));
    }

    static String processOf(String address) {
        return parse(address).process();
    }

    String text() {
        return process + " " + sessionId;
    }
}
