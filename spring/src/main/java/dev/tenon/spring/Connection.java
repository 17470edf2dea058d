package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.lock.Locks;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** How a backend is reached when the application starts: what would fail at each call is to fail now, with advice. */
final class Connection {
    /** Looked for in the store, and never there: a question that costs one round trip. */
    static final String PROBE = "tenon.probe";

    private static final Log LOG = LogFactory.getLog(TenonBackend.class);

    private static final Pattern USER_INFO = Pattern.compile("//[^/@\\s]*@");
    private static final Pattern SECRET = Pattern.compile("(?i)(password|passwd|pwd)=[^&;\\s]*");

    private Connection() {}

    /**
     * Where a store is.
     *
     * @param kind of its backend
     * @param source the key or bean that says where it is
     * @param form what such an address looks like
     * @param addresses of it, with whatever secrets are in them
     */
    record Place(BackendKind kind, String source, String form, List<String> addresses) {
        Place(BackendKind kind, String source, String form, String address) {
            this(kind, source, form, List.of(address));
        }

        private String shown() {
            return addresses.stream().map(StoreAddress::shown).collect(Collectors.joining(", "));
        }
    }

    /** Connects, asks the store once, and says in one line where it is. */
    static <B extends AutoCloseable> B open(
            Place place, Supplier<? extends B> connect, Function<? super B, Locks> locks) {
        String source = place.source();
        String form = place.form();
        try {
            B backend = connect.get();
            try {
                locks.apply(backend).inspect(PROBE);
                say(place.kind(), "at " + place.shown() + ", given by " + source);
                return backend;
            } catch (TenonException e) {
                closeQuietly(backend, e);
                throw e;
            }
        } catch (TenonException e) {
            throw new TenonStartException(
                    "The store of Tenon, given by " + source + ", can't be used: " + withoutSecrets(e.getMessage()),
                    String.valueOf(e.getMessage()).contains("No driver for ")
                            ? "Add that dependency, at run time: tenon-jdbc brings no driver."
                            : "Is it up, and may this process reach and use it? Its address has the form " + form + ".",
                    e);
        } catch (IllegalArgumentException e) {
            throw new TenonStartException(
                    source + " isn't right: " + withoutSecrets(e.getMessage()),
                    "Correct it; the form is " + form + ".",
                    e);
        }
    }

    /** The one line that says which store it is: whoever looks for a lock must know where. */
    static void say(BackendKind kind, String where) {
        LOG.info("Tenon's backend is " + kind.key() + ", " + where);
    }

    /** There is no address. */
    static TenonStartException missing(String kind, String key, String alternative) {
        return new TenonStartException(
                "Tenon is to use " + kind + ", and nobody says where it is.", "Set " + key + alternative + ".");
    }

    static String withoutSecrets(@Nullable String message) {
        String text = USER_INFO.matcher(String.valueOf(message)).replaceAll("//");
        return SECRET.matcher(text).replaceAll("$1=…");
    }

    private static void closeQuietly(AutoCloseable backend, TenonException reason) {
        try {
            backend.close();
        } catch (Exception e) {
            reason.addSuppressed(e);
        }
    }
}
