package dev.tenon.server.access;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The names under which a server may be asked, beside addresses, {@code localhost} and names of one word. Immutable.
 *
 * @param exact DNS names in lower case
 * @param below suffixes such as {@code .example.com}, for {@code *.example.com}: names below, at any depth
 * @param any whether every name will do
 */
public record HostNames(Set<String> exact, List<String> below, boolean any) {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern NAME = Pattern.compile("(\\*\\.)?[a-z0-9_]([a-z0-9_-]*)(\\.[a-z0-9_][a-z0-9_-]*)*");
    private static final String ANY = "*";
    private static final String BELOW = "*.";

    /**
     * Names as the option {@code --allow-host} has them.
     *
     * @param names such as {@code ids.example.com}, {@code *.example.com}, or {@code *} for any
     * @throws IllegalArgumentException if one is none; the message says which
     */
    public static HostNames of(Collection<String> names) {
        Set<String> exact = new LinkedHashSet<>();
        Set<String> below = new LinkedHashSet<>();
        boolean any = false;
        for (String given : names) {
            String name = canonical(given.strip());
            if (given.strip().equals(ANY)) {
                any = true;
            } else if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "--allow-host takes DNS names such as ids.example.com or *.example.com, "
                                + "without scheme and port, not \"" + given + "\"");
            } else if (name.startsWith(BELOW)) {
                below.add(name.substring(1));
            } else {
                exact.add(name);
            }
        }
        return new HostNames(Set.copyOf(exact), List.copyOf(below), any);
    }

    /** Those that a certificate is for; one that is no name of a host, or all of them at once, is left out. */
    public static HostNames ofCertificate(Collection<String> names) {
        return of(names.stream()
                .filter(name -> NAME.matcher(canonical(name)).matches())
                .toList());
    }

    /** Whether a server may be asked under this name, which came without its port. */
    public boolean allows(String asked) {
        String host = canonical(asked);
        return any
                || isAddress(host)
                || !host.isEmpty()
                        && host.indexOf('.')
                                < 0 // of this machine or network: nobody else can point such a name anywhere
                || host.endsWith(".localhost")
                || exact.contains(host)
                || below.stream().anyMatch(host::endsWith);
    }

    private static boolean isAddress(String host) {
        return IPV4.matcher(host).matches() || host.startsWith("[") && host.endsWith("]");
    }

    /** A name as it is compared: DNS knows no case, and a dot at the end changes nothing. */
    private static String canonical(String name) {
        String host = name.toLowerCase(Locale.ROOT);
        return host.length() > 1 && host.endsWith(".") ? host.substring(0, host.length() - 1) : host;
    }
}
