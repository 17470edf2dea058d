package dev.tenon.spring;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where a store is, as a line of a log may have it: hosts, ports and the name of a database or file. Nothing else, as
 * users, passwords and tokens are in more places of an address than anybody can list.
 */
final class StoreAddress {
    private static final String ELSE = "…";

    /** What an address begins with: {@code jdbc:h2:file:}, {@code redis-sentinel:}. None, if it is a list of hosts. */
    private static final Pattern SCHEME =
            Pattern.compile("(?:jdbc:)?(?:[a-z][a-z0-9+-]*:)+(?=//)|jdbc:[a-z0-9]+:(?:[a-z]+:)?");

    private static final Pattern HOSTS = Pattern.compile("[\\w.-]+(:\\d+)?|\\[[0-9A-Fa-f:.%]+](:\\d+)?");
    private static final Pattern PATH = Pattern.compile("[\\w./~:\\\\ -]*");

    private StoreAddress() {}

    /** As it may be shown; {@code …} in place of what can't be told from a secret. */
    static String shown(@Nullable String address) {
        if (address == null || address.isBlank()) {
            return ELSE;
        }
        String given = address.strip();
        Matcher scheme = SCHEME.matcher(given);
        if (!scheme.lookingAt()) {
            return withPath("", given);
        }
        String rest = given.substring(scheme.end());
        if (!rest.startsWith("//")) {
            String path = cut(rest);
            return scheme.group() + (PATH.matcher(path).matches() ? path : ELSE);
        }
        return withPath(scheme.group() + "//", rest.substring(2));
    }

    private static String withPath(String before, String rest) {
        String named = cut(withoutUser(rest));
        if (named.isBlank()) {
            return before + ELSE;
        }
        int slash = named.indexOf('/');
        String hosts = slash < 0 ? named : named.substring(0, slash);
        String path = slash < 0 ? "" : named.substring(slash);
        for (String host : hosts.split(",", -1)) {
            if (!HOSTS.matcher(host).matches() && !(host.isEmpty() && !path.isEmpty())) {
                return before + ELSE;
            }
        }
        return before + hosts + (PATH.matcher(path).matches() ? path : "/" + ELSE);
    }

    /** Without what is before an {@code @}, unless that is in a parameter ({@code ?user=me@server}). */
    private static String withoutUser(String rest) {
        int at = rest.lastIndexOf('@');
        if (at < 0 || rest.contains("(")) { // a list of keys in brackets, or no user
            return rest;
        }
        int parameter = rest.indexOf('?');
        boolean inParameter = parameter >= 0
                && parameter < at
                && rest.substring(parameter, at).contains("=")
                && rest.indexOf('@') > parameter;
        return inParameter ? rest : rest.substring(at + 1);
    }

    private static String cut(String text) {
        for (int i = 0; i < text.length(); i++) {
            if ("?;&#(".indexOf(text.charAt(i)) >= 0) {
                return text.substring(0, i);
            }
        }
        return text;
    }
}
