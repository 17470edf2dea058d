package dev.tenon.tx.global;

import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Warns, once for each host and port, that it is called within a transaction but is not a listed service, so takes no
 * part. Thread-safe.
 */
final class UnlistedAddresses {
    private static final System.Logger LOG = System.getLogger(GlobalTransactions.class.getName());

    /** Bounds memory and log lines where a caller uses many addresses. */
    private static final int TOLD_MAX = 100;

    private final Set<String> told = ConcurrentHashMap.newKeySet();

    /** @param services those that take part, by their names */
    void called(String address, Set<String> services) {
        String host = host(address);
        if (!told.contains(host) && told.size() < TOLD_MAX && told.add(host)) {
            LOG.log(
                    Level.WARNING,
                    host
                            + " is called within a global transaction and is not a service of tenon.transactions.services, which has "
                            + services
                            + ": it takes no part, and what it does stays if the transaction is rolled back. If that is"
                            + " meant, as with a service that is not yours, there is nothing to do: this is said once");
        }
    }

    /** Without what may be meant for the service alone: credentials, path and query. */
    private static String host(String address) {
        try {
            URI uri = new URI(address);
            String authority = String.valueOf(uri.getRawAuthority());
            return (uri.getScheme() + "://" + authority.substring(authority.lastIndexOf('@') + 1))
                    .toLowerCase(Locale.ROOT);
        } catch (URISyntaxException e) {
            return "An address that can't be read";
        }
    }
}
