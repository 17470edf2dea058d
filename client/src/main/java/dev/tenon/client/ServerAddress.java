package dev.tenon.client;

/**
 * Where a server listens.
 *
 * @param host a name or an address; one of IPv6 without its brackets
 */
record ServerAddress(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /**
     * Reads {@code host:port}, {@code [host]:port} for an address of IPv6.
     *
     * @throws IllegalArgumentException if it is none
     */
    static ServerAddress of(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? "" : text.substring(0, colon);
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        } else if (host.contains(":") || host.contains("/")) {
            throw bad(text);
        }
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            if (host.isEmpty() || port < 1 || port > PORT_MAX) {
                throw bad(text);
            }
            return new ServerAddress(host, port);
        } catch (NumberFormatException e) {
            throw bad(text);
        }
    }

    private static IllegalArgumentException bad(String text) {
        return new IllegalArgumentException("Not host:port: \"" + text + "\"");
    }
}
