package dev.tenon.lock.engine;

/**
 * A session and the process that it belongs to. A register has both as one text, so that whoever hands a lock over knows whom
 * to tell.
 *
 * @param process no spaces
 * @param sessionId as the client has it
 */
record SessionAddress(String process, String sessionId) {
    static SessionAddress parse(String text) {
        int space = text.indexOf(' ');
        return new SessionAddress(text.substring(0, space), text.substring(space + 1));
    }

    static String processOf(String address) {
        return parse(address).process();
    }

    String text() {
        return process + " " + sessionId;
    }
}
